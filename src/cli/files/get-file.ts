import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import type { Client } from '../../api/client/index.ts'
import type { AttachmentView } from '../../api/contract/index.ts'
import { describeSize } from '../../kernel/index.ts'
import { type CliDeps, exitCode } from '../command.ts'
import { cliError } from '../errors.ts'
import { openNewFile } from '../new-file.ts'
import { writeJson } from '../output.ts'
import { giverOf } from './file-words.ts'

export interface GetFile {
  readonly task: number
  /** Its name, or its number. */
  readonly wanted: string
  /** Where it is to go; its own name in the current folder without one. */
  readonly output: string | undefined
}

/** Writes a file of a card to a new file, whole or not at all: its checksum is that of the card. */
export async function getFile(deps: CliDeps, client: Client, { task, wanted, output }: GetFile): Promise<number> {
  const found = pick(await client.attachments(task), { task, wanted })
  if (output === '-') {
    throw cliError('CLI_BAD_USE', {
      says: '-o takes a file',
      fix: `yardmaster attach T${task} --get ${wanted} -o FILE`,
    })
  }
  const path = resolve(deps.cwd, output ?? found.name)
  const file = openNewFile(deps, path)
  try {
    const hash = createHash('sha256')
    for await (const piece of client.attachment(found.id, deps.signals.interrupted)) {
      hash.update(piece)
      file.write(piece)
    }
    if (deps.signals.interrupted.aborted) return exitCode.interrupted
    if (hash.digest('hex') !== found.sha256) throw cliError('CLI_FILE_DAMAGED', { name: found.name })
    file.keep()
  } finally {
    file.drop()
  }
  if (deps.flags.json) writeJson(deps, { ...found, file: path })
  else if (!deps.flags.quiet) deps.out.write(`${path} (${describeSize(found.bytes)})\n`)
  return exitCode.ok
}

/** Attempts may each have left a file of that name. */
function pick(files: readonly AttachmentView[], { task, wanted }: Pick<GetFile, 'task' | 'wanted'>): AttachmentView {
  const named = files.filter(({ name }) => name === wanted)
  const [found, ...others] = named.length > 0 ? named : files.filter(({ id }) => String(id) === wanted)
  if (found === undefined) {
    throw cliError('CLI_BAD_USE', {
      says: `T${task} has no file ${JSON.stringify(wanted)}`,
      fix: `yardmaster attach T${task} --list`,
    })
  }
  if (others.length === 0) return found
  throw cliError('CLI_BAD_USE', {
    says: `T${task} has ${named.length} files ${JSON.stringify(wanted)}: ${named.map((file) => `${file.id} of ${giverOf(file)}`).join(', ')}`,
    fix: `say its number: yardmaster attach T${task} --get ${named.at(-1)?.id}`,
  })
}
