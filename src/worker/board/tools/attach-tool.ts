import { createReadStream, promises } from 'node:fs'
import { basename } from 'node:path'
import type { RunClient } from '../../../api/client/index.ts'
import { describeSize, makeFileName, mostAttachmentBytes, YardError } from '../../../kernel/index.ts'
import { resolveInside } from '../../tools/files/inside-workspace.ts'
import type { Tool, ToolArguments, ToolOrder, ToolResult } from '../../tools/tool.ts'
import { hubRetryMs } from '../hub-line.ts'
import { type BoardToolDeps, isGone, mostHandedBack, refusedCall } from './board-tool.ts'

interface Deps extends BoardToolDeps {
  /** Real path of the folder that it works in. */
  readonly workspace: string
  /** Real paths of files for the report: what the hub could not be given at once is taken from there at the end. */
  readonly handedBack: string[]
}

/** 25 MiB to a slow disk. */
const answerWithinMs = 120_000

/** Hands a file back while the run goes on: it is stored by its hub at once, and stays whatever becomes of the workspace. */
export const createAttachTool = (deps: Deps): Tool => ({
  name: 'attach',
  means: `Give people a file now, such as a screenshot; at most ${describeSize(mostAttachmentBytes)}.`,
  fields: [{ name: 'path', type: 'string', means: 'file', required: true }],
  effect: 'writes',
  run: (args, order) => attach(deps, args, order),
})

async function attach(deps: Deps, args: ToolArguments, order: ToolOrder): Promise<ToolResult> {
  const inside = await resolveInside(deps.workspace, String(args.path))
  if (!inside.ok) return refusedCall('attach', inside.says)
  const { path, shown } = inside
  const stat = await promises.stat(path).catch(() => undefined)
  if (stat === undefined) return refusedCall('attach', `${shown} is not there`)
  if (!stat.isFile()) return refusedCall('attach', `${shown} is no file; put a folder into an archive first`)
  if (stat.size === 0) return refusedCall('attach', `${shown} is empty`)
  try {
    const how = { retryForMs: hubRetryMs, answerWithinMs, signal: order.signal }
    const name = deps.redact(makeFileName(basename(path)))
    const kept = await deps.line.ask(how, (client, signal) => send(client, { name, path, signal }))
    const says = `${shown} is handed over as ${kept.name} (${describeSize(kept.bytes)})`
    return { text: says, summary: says, outcome: 'ok' }
  } catch (fault) {
    if (fault instanceof YardError) {
      return isGone(fault)
        ? keepForReport(deps, { path, shown, bytes: stat.size })
        : refusedCall('attach', `${fault.message}. Fix: ${fault.fix}`)
    }
    return refusedCall('attach', `${shown} could not be read to its end: ${(fault as Error).message}`)
  }
}

/** As it is read: a file that is too large is refused by the hub in the moment in which that is known. */
async function send(
  client: RunClient,
  { name, path, signal }: { readonly name: string; readonly path: string; readonly signal: AbortSignal },
) {
  const source = createReadStream(path)
  try {
    return await client.attach(name, source, signal)
  } finally {
    source.destroy()
  }
}

/** The hub is not there: the report names the file, and whichever hub ends the run takes it. */
function keepForReport(
  { handedBack }: Deps,
  { path, shown, bytes }: { readonly path: string; readonly shown: string; readonly bytes: number },
): ToolResult {
  if (bytes > mostAttachmentBytes) {
    const most = describeSize(mostAttachmentBytes)
    return refusedCall('attach', `${shown} is too large: it has ${describeSize(bytes)}, more than ${most}`)
  }
  if (!handedBack.includes(path)) {
    if (handedBack.length >= mostHandedBack) {
      return refusedCall('attach', `${mostHandedBack} files are handed back already; put several into one`)
    }
    handedBack.push(path)
  }
  const says = `the board cannot be reached; ${shown} is taken when you have ended, so leave it where it is`
  return { text: says, summary: says, outcome: 'ok' }
}
