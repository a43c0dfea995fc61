/** A fence longer than any run of backticks in the text, so that the text cannot close it (CommonMark 4.5). */
export function fenced(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestTicks(text) + 1))
  return `${fence}text\n${text}\n${fence}`
}

/** Length of the longest run of backticks. One by one: a text of megabytes has more runs than a call may have arguments. */
export function longestTicks(text: string): number {
  let longest = 0
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length)
  return longest
}
