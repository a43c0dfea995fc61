import { createReadStream, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { describeSize, mostAttachmentBytes, sayNameFault, saySystemFault } from '../../kernel/index.ts'
import type { CliDeps } from '../command.ts'
import { cliError } from '../errors.ts'

/** A file to be sent, looked at and not yet opened. */
export interface LocalFile {
  /** As it is to be called on the card. */
  readonly name: string
  /** As it was typed, for messages. */
  readonly typed: string
  /** Its bytes, never more than 25 MiB of them: one that has more breaks off with `CLI_FILE_TOO_LARGE`. */
  open(): Readable
}

/**
 * Looks at files that a person named, `-` for standard input, before any of them is sent. `name`: what the only one is to be
 * called. Throws `CLI_FILE_NOT_READ` for one that is missing or no file, `CLI_FILE_TOO_LARGE`, `CLI_BAD_USE`.
 */
export function findFiles(
  deps: Pick<CliDeps, 'cwd' | 'stdin'>,
  { paths, name }: { readonly paths: readonly string[]; readonly name: string | undefined },
): readonly LocalFile[] {
  if (name !== undefined && paths.length !== 1) {
    throw cliError('CLI_BAD_USE', {
      says: `--name is for one file, and here are ${paths.length}`,
      fix: 'name them one by one',
    })
  }
  const files = paths.map((typed) => (typed === '-' ? standardInput(deps, name) : onDisk(deps, typed, name)))
  const twice = files.find((file, at) => files.findIndex((other) => other.name === file.name) !== at)
  if (twice !== undefined) {
    throw cliError('CLI_BAD_USE', {
      says: `two of these files are called ${JSON.stringify(twice.name)}, and the second would take the place of the first`,
      fix: `attach them one by one: yardmaster attach T ${JSON.stringify(twice.typed)} --name …`,
    })
  }
  return files
}

function standardInput({ stdin }: Pick<CliDeps, 'stdin'>, name: string | undefined): LocalFile {
  if (name === undefined) {
    throw cliError('CLI_BAD_USE', {
      says: 'what comes from standard input has no name',
      fix: 'say it: yardmaster attach T - --name spec.pdf',
    })
  }
  return { name: nameOrThrow(name), typed: '-', open: () => bounded(stdin.stream, '-') }
}

function onDisk({ cwd }: Pick<CliDeps, 'cwd'>, typed: string, given: string | undefined): LocalFile {
  const path = resolve(cwd, typed)
  const stat = statOrThrow(path)
  if (stat.isDirectory()) {
    throw cliError('CLI_FILE_NOT_READ', { path, why: 'it is a folder; put it into one file, such as a .tar.gz' })
  }
  if (!stat.isFile()) throw cliError('CLI_FILE_NOT_READ', { path, why: 'it is no regular file' })
  if (stat.size > mostAttachmentBytes) throw tooLarge(typed)
  const name = nameOrThrow(given ?? basename(path))
  return { name, typed, open: () => bounded(createReadStream(path, { end: mostAttachmentBytes }), typed) }
}

function statOrThrow(path: string) {
  try {
    return statSync(path)
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    throw cliError(
      'CLI_FILE_NOT_READ',
      { path, why: isMissing ? 'there is no such file' : saySystemFault(cause) },
      cause,
    )
  }
}

function nameOrThrow(name: string): string {
  const fault = sayNameFault(name)
  if (fault === undefined) return name
  const says = `the name ${JSON.stringify(name)} ${fault}`
  throw cliError('CLI_BAD_USE', { says, fix: 'give it another one: --name spec.pdf' })
}

/** It may grow while it is sent, and standard input has no size. */
function bounded(source: Readable, typed: string): Readable {
  async function* pieces(): AsyncGenerator<Buffer> {
    let bytes = 0
    for await (const piece of source) {
      const chunk = Buffer.from(piece)
      bytes += chunk.length
      if (bytes > mostAttachmentBytes) throw tooLarge(typed)
      yield chunk
    }
  }
  return Readable.from(pieces(), { objectMode: false })
}

const tooLarge = (typed: string) =>
  cliError('CLI_FILE_TOO_LARGE', {
    path: typed === '-' ? 'standard input' : typed,
    most: describeSize(mostAttachmentBytes),
  })
