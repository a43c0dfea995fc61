/** `a, b, c and 4 more`: at most so many by name, since thousands may be meant. */
export function nameSome(names: readonly string[], most: number): string {
  const left = names.length - most
  return left > 0 ? `${names.slice(0, most).join(', ')} and ${left} more` : names.join(', ')
}
