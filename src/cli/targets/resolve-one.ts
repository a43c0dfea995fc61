import type { Client } from '../../api/client/index.ts'
import { cliError } from '../errors.ts'
import { parseTarget } from './parse-target.ts'
import { findBatch, lastTarget, resolveTasks, type TargetDeps } from './resolve-tasks.ts'

/** A single thing that a reading verb looks at. */
export type Thing =
  | { readonly kind: 'task'; readonly id: number }
  | { readonly kind: 'run'; readonly id: number }
  | { readonly kind: 'batch'; readonly id: number }

/**
 * What a target means to a verb that reads (`show`, `log`): attempts and batches stay what they are, everything else
 * becomes tasks. `-` is what was used last.
 */
export async function resolveThings(
  deps: TargetDeps,
  { texts, board }: { readonly texts: readonly string[]; readonly board: string | undefined },
): Promise<readonly Thing[]> {
  const things: Thing[] = []
  for (const typed of texts) {
    const text = typed === '-' ? lastTarget(deps.home) : typed
    const target = parseTarget(text)
    if (target.kind === 'run' || target.kind === 'batch') things.push(target)
    else if (target.kind === 'name') things.push(...(await thingsOfName(deps, { text, board })))
    else things.push(...(await tasksOf(deps, { text, board })))
  }
  return things
}

async function thingsOfName(deps: TargetDeps, input: TextOfBoard): Promise<readonly Thing[]> {
  const batch = await findBatch(deps.client, input.text)
  return batch === undefined ? tasksOf(deps, input) : [{ kind: 'batch', id: batch }]
}

interface TextOfBoard {
  readonly text: string
  readonly board: string | undefined
}

async function tasksOf(deps: TargetDeps, { text, board }: TextOfBoard): Promise<readonly Thing[]> {
  const { ids } = await resolveTasks(deps, { texts: [text], filters: {}, board, natural: [] })
  return ids.map((id) => ({ kind: 'task', id }))
}

/** The attempt whose log is meant: `R12`, or the newest one of a task. Undefined: the task has not run yet. */
export async function runOfThing(client: Client, thing: Thing): Promise<number | undefined> {
  if (thing.kind === 'run') return thing.id
  if (thing.kind === 'task') return (await client.task(thing.id)).all_runs.at(-1)?.id
  throw cliError('CLI_BAD_USE', {
    says: `B${thing.id} is a batch, and each attempt of its tasks has a log of its own`,
    fix: `yardmaster list B${thing.id} --all, then yardmaster log T…`,
  })
}
