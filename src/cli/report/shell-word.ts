/** A text as one word of a POSIX shell, quoted only where it must be: for commands that people copy. */
export const shellWord = (text: string): string =>
  /^[\w/.@:+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
