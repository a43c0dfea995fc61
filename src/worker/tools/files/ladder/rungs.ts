/** The ways in which the text of an edit is looked for, in order. Counters call them `edit_<name>`. */
export const rungs = [
  { name: 'exact', says: 'exactly' },
  { name: 'trailing_space', says: 'with white space at line ends left out of account' },
  { name: 'indentation', says: 'with indentation left out of account' },
  { name: 'white_space', says: 'with any white space taken for one space' },
  { name: 'unicode', says: 'with quotes, dashes and spaces that look alike taken for the same' },
  { name: 'escapes', says: 'with its escapes (\\n, \\t, \\") taken for what they stand for' },
  { name: 'anchors', says: 'by its first and last line' },
  { name: 'similar_lines', says: 'by most of its lines' },
  { name: 'distance', says: 'as a text that differs in a few characters' },
] as const

export type Rung = (typeof rungs)[number]['name']

/** From this rung on a match is a good guess and no proof. */
const guesses: readonly Rung[] = ['anchors', 'similar_lines', 'distance']

export const isGuess = (rung: Rung): boolean => guesses.includes(rung)

export const sayRung = (rung: Rung): string => rungs.find(({ name }) => name === rung)?.says ?? rung

export const numberOf = (rung: Rung): number => rungs.findIndex(({ name }) => name === rung) + 1
