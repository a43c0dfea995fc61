// The composition root: the one place that knows every part. Each way to open a yard is loaded when it is asked for,
// because a command that only talks to a hub should not pay for the whole of one.
import type { Check } from './main/doctor/check.ts'
import type { ExamineInput } from './main/doctor/examine-yard.ts'
import type { FoundHub, Hub, HubOptions, OpenStore } from './main/hub-options.ts'
import type { FoundAround, LookAround } from './main/look-around.ts'
import type { FoundReplay } from './main/replay.ts'
import type { RestoredHome } from './main/restore-home.ts'
import type { Applied, ApplyDeps, ApplyInput } from './workspaces/index.ts'

export type { Check } from './main/doctor/check.ts'
export type { DownMode, FoundHub, Hub, HubOptions, OpenStore } from './main/hub-options.ts'
export type { FoundAround } from './main/look-around.ts'
export type { FoundReplay } from './main/replay.ts'
export type { RestoredHome } from './main/restore-home.ts'
export type { Replay } from './worker/index.ts'
export type { Applied } from './workspaces/index.ts'

/** Starts the hub of a home. Throws `MAIN_HOME_TAKEN` with the holder when another process works this home. */
export async function startHub(options: HubOptions): Promise<Hub> {
  const { openHub } = await import('./main/hub.ts')
  return await openHub(options)
}

/** The hub of a home, if one answers; undefined when none runs. Throws `MAIN_HUB_SILENT` when one is there and does not answer. */
export async function findHub(home: string): Promise<FoundHub | undefined> {
  const { findHub } = await import('./main/find-hub.ts')
  return await findHub(home)
}

/** The git repository around a folder, as a card that is made there is to know it. Throws nothing: a git that cannot is a finding. */
export async function lookAround(input: LookAround): Promise<FoundAround> {
  const { lookAround } = await import('./main/look-around.ts')
  return await lookAround(input)
}

/** The store without a dispatcher, under the same lock: for reading and editing while no hub is up. What may touch a process is refused. */
export async function openStore(options: Omit<HubOptions, 'purpose' | 'paused'>): Promise<OpenStore> {
  const { openStoreOnly } = await import('./main/store-only.ts')
  return await openStoreOnly(options)
}

/** The same for reading only, where the disk of the home takes nothing any more: from a copy. Nothing of the home changes. */
export async function readStore(options: Omit<HubOptions, 'purpose' | 'paused'>): Promise<OpenStore> {
  const { openStoreCopy } = await import('./main/store-copy.ts')
  return await openStoreCopy(options)
}

/** Looks at everything that a yard stands on and changes nothing. Throws nothing: what does not work is a finding. */
export async function examineYard(input: ExamineInput): Promise<readonly Check[]> {
  const { examineYard } = await import('./main/doctor/examine-yard.ts')
  return await examineYard(input)
}

/** Puts a backup in the place of a home's store while nobody works it. Throws `MAIN_HOME_TAKEN` and `BOARD_…` errors. */
export async function restoreHome(input: { readonly home: string; readonly file: string }): Promise<RestoredHome> {
  const { restoreHome } = await import('./main/restore-home.ts')
  return await restoreHome(input)
}

/** Puts patches onto a branch of the repository around a folder, one commit each; needs neither hub nor home. Throws `WORKSPACES_APPLY_…`. */
export async function applyPatches(deps: ApplyDeps, input: ApplyInput): Promise<Applied> {
  const { applyPatches } = await import('./workspaces/index.ts')
  return await applyPatches(deps, input)
}

/** Plays a scenario file as an OpenAI-compatible server on loopback, for demos and tests; port 0: a free one. */
export async function startRehearsal(input: {
  readonly file: string
  readonly port: number
}): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const { startRehearsal } = await import('./worker/index.ts')
  return await startRehearsal(input)
}

/** A recorded run to show again: by its directory, or by a file. Throws `WORKER_TRANSCRIPT_NOT_READ`. */
export async function findReplay(where: { readonly runDir: string } | { readonly file: string }): Promise<FoundReplay> {
  if ('file' in where) {
    const { readReplay } = await import('./worker/index.ts')
    return { kind: 'replay', replay: readReplay(where.file) }
  }
  const { findReplay } = await import('./main/replay.ts')
  return findReplay(where.runDir)
}
