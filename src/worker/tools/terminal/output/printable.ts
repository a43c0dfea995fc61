// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for
const terminalColours = /\u001b\[[0-9;?]{0,20}[A-Za-z]/g
const controlCharacters = /[^\P{Cc}\n\r\t]/gu

/** Terminal colours go, other control characters become visible: some servers refuse them, no model needs them. */
export function printable(bytes: Buffer): string {
  return bytes
    .toString('utf8')
    .replace(terminalColours, '')
    .replace(controlCharacters, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`)
}
