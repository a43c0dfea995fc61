import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder, refusesPath, saySystemFault } from '../../kernel/index.ts'
import { cliError } from '../errors.ts'
import { editorSchemas, schemaFile, schemaKinds } from './editor-schemas.ts'

export interface WrittenFile {
  /** From the folder. */
  readonly path: string
  readonly what: 'written' | 'kept'
}

/**
 * Writes a file that is not there yet; one that is stays as it is, whatever is in it. Throws `CLI_BAD_USE` where none can be
 * made, and `CLI_FILE_NOT_WRITTEN` for what the disk refuses.
 */
export function writeNew(folder: string, path: string, text: string): WrittenFile {
  const file = join(folder, path)
  try {
    makeFolder(dirname(file))
  } catch (cause) {
    throw refused(dirname(file), cause)
  }
  try {
    writeFileSync(file, text, { flag: 'wx' })
    return { path, what: 'written' }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return { path, what: 'kept' }
    throw refused(file, cause)
  }
}

function refused(path: string, cause: unknown): unknown {
  const why = saySystemFault(cause)
  const isOfPath = refusesPath(cause) || (cause as NodeJS.ErrnoException).code === 'EEXIST'
  if (!isOfPath) return cliError('CLI_FILE_NOT_WRITTEN', { path, why }, cause)
  return cliError(
    'CLI_BAD_USE',
    {
      says: `${path} cannot be made: ${why}`,
      fix: 'move away what is there, or start in a folder that you may write to',
    },
    cause,
  )
}

/** The schemas are ours and follow the version of the program: written anew, unless somebody put something else there. */
export function writeSchemas(folder: string): readonly WrittenFile[] {
  return schemaKinds.map((kind) => {
    const path = schemaFile(kind)
    const text = `${JSON.stringify(editorSchemas[kind], undefined, 2)}\n`
    const written = writeNew(folder, path, text)
    if (written.what === 'written' || !isOurs(join(folder, path), editorSchemas[kind])) return written
    try {
      writeFileSync(join(folder, path), text)
    } catch (cause) {
      throw refused(join(folder, path), cause)
    }
    return { path, what: 'written' }
  })
}

function isOurs(file: string, schema: object): boolean {
  try {
    const title = (JSON.parse(readFileSync(file, 'utf8')) as { title?: unknown } | null)?.title
    return title === (schema as { title?: unknown }).title
  } catch {
    return false // not JSON: not ours
  }
}
