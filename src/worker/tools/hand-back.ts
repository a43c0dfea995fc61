import fs from 'node:fs'
import { describeSize, mostAttachmentBytes } from '../../kernel/index.ts'
import { resolveInside } from './files/inside-workspace.ts'
import type { Tool, ToolArguments, ToolResult } from './tool.ts'

interface HandBackDeps {
  readonly workspace: string
  readonly handedBack: string[]
}

/** For the attempts at a card alone: what it names is in the worker's report, and its board takes it when the attempt has ended. */
export const createHandBackTool = (deps: HandBackDeps): Tool => ({
  name: 'hand_back',
  means: `Hand a file of the workspace back with your answer, such as a screenshot or a report: at most ${describeSize(mostAttachmentBytes)}. It is taken as it is when you have ended, so leave it where it is.`,
  fields: [{ name: 'path', type: 'string', means: 'file, relative to the workspace', required: true }],
  effect: 'writes',
  run: (args) => handBack(deps, args),
})

/** As many as a report may name. */
const mostHandedBack = 100

async function handBack({ workspace, handedBack }: HandBackDeps, args: ToolArguments): Promise<ToolResult> {
  const inside = await resolveInside(workspace, String(args.path))
  if (!inside.ok) return refused(inside.says)
  const { path, shown } = inside
  const stat = await fs.promises.stat(path).catch(() => undefined)
  if (stat === undefined) return refused(`${shown} is not there`)
  if (!stat.isFile()) return refused(`${shown} is no file; put a folder into an archive first`)
  if (stat.size === 0) return refused(`${shown} is empty`)
  if (stat.size > mostAttachmentBytes) {
    return refused(
      `${shown} is too large: it has ${describeSize(stat.size)}, more than ${describeSize(mostAttachmentBytes)}`,
    )
  }
  if (!handedBack.includes(path)) {
    if (handedBack.length >= mostHandedBack)
      return refused(`${mostHandedBack} files are handed back already; put several into one`)
    handedBack.push(path)
  }
  const says = `${shown} is handed back with your answer (${describeSize(stat.size)})`
  return { text: says, summary: says, outcome: 'ok' }
}

const refused = (says: string): ToolResult => ({
  text: `error: ${says}`,
  summary: `hand_back refused: ${says}`,
  outcome: 'failed',
})
