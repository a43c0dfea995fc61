import type { Readable } from 'node:stream'
import { readText } from '../kernel/config/index.ts'
import type { CliDeps } from './command.ts'
import { cliError } from './errors.ts'

/** All of a stream as UTF-8 text. Throws `CLI_FILE_NOT_READ` where it is something else. */
export async function readAllOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk))
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch (cause) {
    throw cliError('CLI_FILE_NOT_READ', { path: 'standard input', why: 'it is not UTF-8 text' }, cause)
  }
}

/** The text of a file that a person named; `-` is standard input. `path` is absolute or `-`. */
export async function readTextOrStdin({ stdin }: Pick<CliDeps, 'stdin'>, path: string): Promise<string> {
  if (path === '-') return stdin.readAll()
  const read = readText(path)
  if (!read.ok) throw cliError('CLI_FILE_NOT_READ', { path, why: read.why })
  return read.text
}
