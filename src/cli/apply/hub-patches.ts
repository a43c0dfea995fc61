import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Client } from '../../api/client/index.ts'
import type { RunView } from '../../api/contract/index.ts'
import type { FoundPatch } from './found-patch.ts'

/** The newest attempt that left a patch. */
export function newestWithPatch(runs: readonly RunView[]): RunView | undefined {
  return runs.findLast(({ change }) => change !== null && change.patch_bytes !== null)
}

/** The patch of an attempt that the hub has; its bytes are fetched into `folder` when they are asked for. */
export function hubPatch(
  { client, signal }: { readonly client: Client; readonly signal: AbortSignal },
  {
    run,
    task,
    named,
    folder,
  }: {
    readonly run: RunView
    readonly task: { readonly title: string; readonly status: string }
    readonly named: boolean
    readonly folder: string
  },
): FoundPatch {
  return {
    task: run.task,
    run: run.id,
    title: task.title,
    baseCommit: run.change?.base_commit ?? '',
    // What was put to review is done once that has approved it.
    outcome: run.outcome === 'review' && task.status === 'done' ? 'done' : (run.outcome ?? 'running'),
    checked: run.checked,
    named,
    async file() {
      const file = join(folder, `R${run.id}.patch`)
      await pipeline(client.patchOf(run.id, signal), createWriteStream(file, { flags: 'wx', mode: 0o600 }))
      return file
    },
  }
}
