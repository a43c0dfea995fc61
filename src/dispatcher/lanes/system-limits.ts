import { longestArgumentBytes } from '../../kernel/process/index.ts'

export const argumentBytes = (text: string): number => Buffer.byteLength(text, 'utf8')

/** Why the system would refuse to start this, with the byte count (C179), or undefined. The limit of the whole is asked of the system itself. */
export function sayRefusedBySystem(argv: readonly string[], env: Readonly<Record<string, string>>): string | undefined {
  for (const [at, argument] of argv.entries()) {
    const fault = sayText(argument)
    if (fault !== undefined) return `argument ${at} of the command ${fault}`
  }
  for (const [name, value] of Object.entries(env)) {
    const fault = sayText(`${name}=${value}`)
    if (fault !== undefined) return `the variable ${name} ${fault}`
  }
  return undefined
}

function sayText(text: string): string | undefined {
  if (text.includes('\0')) return 'holds a zero byte, which no program can be given'
  const bytes = argumentBytes(text)
  if (bytes <= longestArgumentBytes) return undefined
  return `is ${bytes} bytes long; the system takes ${longestArgumentBytes}. Hand it over in a file`
}
