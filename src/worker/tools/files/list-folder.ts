import fs from 'node:fs'
import { saySystemFault } from '../../../kernel/index.ts'
import type { ToolResult } from '../tool.ts'
import { refuse } from './file-result.ts'

const mostNames = 100

/** A folder that was named where a file was meant: its names, folders first, as a short list. */
export async function listFolder(path: string, shown: string): Promise<ToolResult> {
  try {
    const entries = await fs.promises.readdir(path, { withFileTypes: true })
    const names = entries.map((entry) => `${entry.name}${entry.isDirectory() ? '/' : ''}`)
    const sorted = names.toSorted((a, b) => Number(b.endsWith('/')) - Number(a.endsWith('/')) || (a < b ? -1 : 1))
    const listed = sorted.slice(0, mostNames)
    const more = names.length > listed.length ? [`[… and ${names.length - listed.length} more]`] : []
    const head = `${shown} is a folder with ${names.length === 1 ? '1 entry' : `${names.length} entries`}`
    const text = names.length === 0 ? `${shown} is an empty folder` : [`${head}:`, ...listed, ...more].join('\n')
    return { text, summary: `read ${shown}: a folder, ${names.length} entries`, outcome: 'ok' }
  } catch (fault) {
    return refuse('read', `the folder ${shown} cannot be listed (${saySystemFault(fault)})`)
  }
}
