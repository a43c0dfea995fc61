import fs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { makeFolder, systemRandom } from '../../../kernel/index.ts'
import type { Tool, ToolArguments, ToolResult } from '../tool.ts'
import { resolveInside } from './inside-workspace.ts'

const largestBytes = 8 * 1024 * 1024

export interface WriteToolDeps {
  readonly workspace: string
}

/** Writes a whole file of the workspace: by a second file and a rename, so that nobody ever sees half of it. */
export const createWriteTool = (deps: WriteToolDeps): Tool => ({
  name: 'write',
  means: 'Write a whole file of the workspace, in place of what it held. Missing folders are made.',
  fields: [
    { name: 'path', type: 'string', means: 'file, relative to the workspace', required: true },
    { name: 'content', type: 'string', means: 'the whole new text of the file', required: true, mayBeEmpty: true },
  ],
  effect: 'writes',
  run: (args) => writeFileTool(deps, args),
})

async function writeFileTool({ workspace }: WriteToolDeps, args: ToolArguments): Promise<ToolResult> {
  const inside = await resolveInside(workspace, String(args.path))
  if (!inside.ok) return refused(inside.says)
  const { path, shown } = inside
  if (shown === '.git' || shown.startsWith('.git/') || shown.includes('/.git/')) {
    return refused(`${shown} belongs to git; use git itself in the terminal`)
  }
  const content = Buffer.from(String(args.content), 'utf8')
  if (content.byteLength > largestBytes)
    return refused(`the text has ${content.byteLength} bytes, more than ${largestBytes}`)
  const before = await fs.promises.stat(path).catch(() => undefined)
  if (before !== undefined && !before.isFile()) return refused(`${shown} is no file`)
  const partial = join(dirname(path), `.${basename(path).slice(0, 100)}.${systemRandom.hex(4)}.partial`)
  try {
    makeFolder(dirname(path))
    await fs.promises.writeFile(partial, content, { flag: 'wx' })
    if (before !== undefined) await fs.promises.chmod(partial, before.mode & 0o7777)
    await fs.promises.rename(partial, path)
  } catch (fault) {
    await fs.promises.rm(partial, { force: true }).catch(() => {}) // where the folder cannot be written, nothing was left in it
    return refused(`${shown} cannot be written (${(fault as NodeJS.ErrnoException).code})`)
  }
  const done = `${before === undefined ? 'wrote new' : 'wrote'} ${shown}, ${content.byteLength} bytes`
  return { text: done, summary: done, outcome: 'ok' }
}

const refused = (says: string): ToolResult => ({
  text: `error: ${says}`,
  summary: `write refused: ${says}`,
  outcome: 'failed',
})
