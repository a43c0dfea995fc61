import type { Run } from '../board/index.ts'
import { assertNever, crashPoint, type RunId } from '../kernel/index.ts'
import { writeHubFile } from '../runs/index.ts'
import { killSourceOf } from './kill-source-of.ts'
import { createRunMask } from './known-secrets.ts'
import { watchLinger } from './linger.ts'
import type { Loop } from './loop-state.ts'
import { buildOpenRun, type OpenRun } from './open-runs.ts'
import { groupBySecrets, noSecrets, type RunSecrets, readSecrets } from './read-secret.ts'
import { recordUnstarted } from './record-unstarted.ts'
import { speaksToHub } from './run-plan.ts'
import { resumeStages } from './stages/resume-stages.ts'
import { placeStage } from './stages/stage-place.ts'
import { sayStopFor } from './stop-runs.ts'
import { type Adopted, nothingSeen, type RunRecord } from './supervisor/index.ts'
import { watchProbe } from './watch-probe.ts'

/**
 * Takes over every attempt that an earlier hub left open, before anything is claimed (design section 6, "Adoption"). Alive and ours:
 * watched on. Gone: its end is decided from its record and report. Never started: given back, nothing counted. Cannot be
 * told: held; it is neither signalled nor repeated until it can be told. So is what another machine has started, whatever a
 * pid of this one looks like. Limits and wishes hold from here on; what an attempt said is read after `learnSecrets`.
 */
export function adoptRuns(loop: Loop): void {
  const { board } = loop
  const runs = board.openRuns().map((run) => ({ run, open: carry(loop, run) }))
  const adopted = runs.filter(({ run, open }) => {
    if (board.hostElsewhere(run) === null) return adopt(loop, run, open) === 'same'
    leaveElsewhere(loop, open)
    return false
  })
  if (adopted.length > 0) board.recordAdopted(adopted.map(({ run }) => run.id))
  recordUnstarted(loop)
  hearWishes(loop)
  if (runs.length === 0) return
  loop.log.info('runs.adopted', { runs: runs.length })
  crashPoint('adopt.done')
}

function carry({ home, board, state }: Loop, run: Run): OpenRun {
  const open = buildOpenRun({ home }, run, board.readTask(run.task) ?? { batch: null })
  resumeStages({ board }, open, run)
  state.open.set(open.id, open)
  state.unmasked.set(open.id, run)
  return open
}

function leaveElsewhere(loop: Loop, open: OpenRun): void {
  const { state } = loop
  open.held = true
  open.elsewhere = true
  watchProbe(loop, open)
  // Nothing of it is read here; where its end is on record, that is told again when a person lets its task go.
  if (open.phase !== 'exited') state.unmasked.delete(open.id)
}

/** What was wished while no hub was there to hear it. */
function hearWishes({ board, state }: Loop): void {
  for (const { task: id } of state.open.values()) {
    const task = board.readTask(id)
    if (task?.wish != null) state.wished.set(id, { by: task.wishBy ?? '', text: task.wishText ?? '' })
  }
}

/**
 * Asks for the secrets that adopted attempts were given, so that what they say is masked as it was before. One that is
 * gone by now cannot be looked for. Accounts are asked side by side, and `learned` is called for each as its answer comes: it
 * may take as long as its command is given, and only the attempts of that account wait for it. Nothing is done after `over`.
 */
export async function learnSecrets(
  loop: Loop,
  { learned, over }: { readonly learned: () => void; readonly over: AbortSignal },
): Promise<void> {
  const { unmasked, open } = loop.state
  const adopted = [...unmasked.values()].flatMap((run) => {
    const one = open.get(run.id)
    return one === undefined ? [] : [{ run, open: one }]
  })
  await Promise.all(
    groupBySecrets(adopted).map(async (together) => {
      const read = await readSecrets(loop, together[0].open.plan)
      if (over.aborted) return
      for (const one of together) mask(loop, one, read.ok ? read.secrets : noSecrets)
      learned()
    }),
  )
}

function mask(loop: Loop, { run, open }: { readonly run: Run; readonly open: OpenRun }, secrets: RunSecrets): void {
  open.redact = createRunMask(loop, open.plan, secrets)
  loop.state.unmasked.delete(run.id)
}

/** `no_process`: its end is on record, and there is nothing to look for. */
function adopt(loop: Loop, run: Run, open: OpenRun): ReturnType<Loop['supervisor']['adopt']> | 'no_process' {
  const { supervisor, state } = loop
  if (run.phase === 'exited' && run.pid === null) {
    state.swept.add(run.id)
    return 'no_process'
  }
  const adopted = supervisor.adopt(recordOf(run, open))
  switch (adopted) {
    case 'same':
      goOn(loop, open)
      break
    case 'gone':
      state.clearing.add(run.id) // its end is told
      break
    case 'never':
      if (run.phase === 'exited' || open.isBetween) state.swept.add(run.id)
      else if (open.stage === 'check') startAgain(loop, open)
      else state.unstarted.set(open, 'given back')
      break
    case 'cannot_tell':
      open.held = true
      watchProbe(loop, open)
      watchLinger(loop, open) // carried out when it can be told
      break
    default:
      assertNever(adopted)
  }
  return adopted
}

/** Its work is done; its check was taken and never let go. */
function startAgain({ state }: Loop, open: OpenRun): void {
  state.exits.push({ run: open.id, fence: open.fence, record: 'never', delivered: false, ...nothingSeen })
  state.swept.add(open.id)
}

/**
 * It is known now what became of a held attempt: it is waited for again like any other. Whatever follows from its end is told
 * by itself.
 */
export function hearFound(loop: Loop, run: RunId, as: Exclude<Adopted, 'cannot_tell'>): void {
  const open = loop.state.open.get(run)
  if (open === undefined) return
  open.held = false
  if (as !== 'same') return
  goOn(loop, open)
  loop.board.recordAdopted([run])
}

function goOn(loop: Loop, open: OpenRun): void {
  watchProbe(loop, open)
  watchLinger(loop, open)
  tellAddress(loop, open)
}

/** The port may be another one than before: its worker asks again and again until somebody answers. */
function tellAddress({ address, log }: Loop, { id, plan, runDir }: OpenRun): void {
  if (!speaksToHub(plan)) return
  try {
    writeHubFile(runDir, address())
  } catch (fault) {
    log.error('run.not_told', { run: id, fault: String(fault) }) // its directory is gone: its end is seen without it
  }
}

function recordOf(run: Run, open: OpenRun): RunRecord {
  const { dir, marker, limits } = placeStage(open, open.stage)
  return {
    run: run.id,
    fence: run.fence,
    runDir: dir,
    marker,
    // Of a stage that is over only what it left is looked for.
    phase: run.phase === 'settled' || open.isBetween ? 'exited' : run.phase,
    pid: run.pid,
    fingerprint: run.fingerprint,
    startedMonotonic: run.startedMonotonic,
    limits,
    stopping: stoppingOf(run),
  }
}

function stoppingOf({ stop, rung, stopDelivered }: Run): RunRecord['stopping'] {
  return stop === null
    ? null
    : { source: killSourceOf(stop.kind), reason: sayStopFor(stop), rung, reached: stopDelivered }
}
