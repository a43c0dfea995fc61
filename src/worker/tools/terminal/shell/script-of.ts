const shells = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh'])

/** The text that these words have a shell run: of `bash -lc TEXT` and `eval TEXT`. The first word is the program's own name. */
export function scriptOf(words: readonly string[]): string | undefined {
  const [name = '', ...args] = words
  if (name === 'eval') return args.join(' ')
  const option = shells.has(name) ? args.findIndex((word) => /^-[a-z]{0,9}c[a-z]{0,9}$/.test(word)) : -1
  return option === -1 ? undefined : args[option + 1]
}

/** So many texts within texts are read; nobody writes more. */
export const deepestScript = 5
