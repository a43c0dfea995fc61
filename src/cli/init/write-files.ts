import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../kernel/index.ts'
import { editorSchemas, schemaFile, schemaKinds } from './editor-schemas.ts'

export interface WrittenFile {
  /** From the folder. */
  readonly path: string
  readonly what: 'written' | 'kept'
}

/** Writes a file that is not there yet; one that is stays as it is, whatever is in it. */
export function writeNew(folder: string, path: string, text: string): WrittenFile {
  const file = join(folder, path)
  makeFolder(dirname(file))
  try {
    writeFileSync(file, text, { flag: 'wx' })
    return { path, what: 'written' }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return { path, what: 'kept' }
    throw cause
  }
}

/** The schemas are ours and follow the version of the program: written anew, unless somebody put something else there. */
export function writeSchemas(folder: string): readonly WrittenFile[] {
  return schemaKinds.map((kind) => {
    const path = schemaFile(kind)
    const text = `${JSON.stringify(editorSchemas[kind], undefined, 2)}\n`
    const written = writeNew(folder, path, text)
    if (written.what === 'written' || !isOurs(join(folder, path), editorSchemas[kind])) return written
    writeFileSync(join(folder, path), text)
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
