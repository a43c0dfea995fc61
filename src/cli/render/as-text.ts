/** Lines as they are written to a terminal or a file, each with its end. */
export const asText = (lines: readonly string[]): string => `${lines.join('\n')}\n`
