import type { Client } from '../../api/client/index.ts'
import type { BatchReportView, BatchView, SubmittedBatchView } from '../../api/contract/index.ts'
import { shellWord } from '../../kernel/index.ts'
import type { Hub, OpenStore } from '../../main.ts'
import type { ReadBatch } from '../batch-file/index.ts'
import { type CliDeps, exitCode } from '../command.ts'
import { tellGithub } from '../github/index.ts'
import { writeJson } from '../output.ts'
import { openStage, type Stage } from '../progress/index.ts'
import { onOneLine } from '../render/visible.ts'
import { buildReport, type Report, reportJson } from '../report/index.ts'
import { closingLines, fromHere } from './closing-lines.ts'
import { type HeldSignals, hearInterrupts, type Left } from './hear-interrupts.ts'
import type { Worked } from './interrupt-plan.ts'
import { keepReport } from './keep-report.ts'
import { type MovableOutput, movable } from './movable-output.ts'

/** A batch that was submitted and is now followed to its verdict. */
export interface FollowedRun {
  readonly worked: Worked
  readonly client: Client
  /** The hub in this process; only where it is private. */
  readonly hub?: Hub
  readonly submitted: SubmittedBatchView
  /** Last event before the batch was submitted. */
  readonly after: number
  /** Absolute. */
  readonly reportDir: string
  readonly read: ReadBatch
  readonly home: string
  readonly held: HeldSignals
  /** The store once the private hub has stopped: for the last report of a run that was interrupted. */
  readonly readAfterwards?: () => Promise<OpenStore>
}

/**
 * Shows the batch until it has a verdict, keeps its report current, answers our signals, and says how it ended. Answers
 * the verdict's exit code, or 130.
 */
export async function followRun(deps: CliDeps, run: FollowedRun): Promise<number> {
  const { client, submitted, reportDir, worked } = run
  const { batch } = submitted
  const out = movable(deps.flags.json ? deps.err : deps.out)
  const stage = openStage({ ...deps, client, out }, lookOf(deps))
  sayChangedSince(stage, submitted)
  const privateHome = worked === 'private' ? run.home : undefined
  const report = await keepReport(
    { client, clock: deps.clock },
    { batch: batch.id, dir: reportDir, files: filesOf(run.read), privateHome, applyFrom: applyFrom(deps, run) },
  )
  const interrupts = hearInterrupts(deps, {
    ...run,
    batch: batch.id,
    readsStdin: run.read.body.file === null,
    stage,
    out,
  })
  let left: Left | 'verdict' = 'verdict'
  let view: BatchReportView
  try {
    const end =
      batch.verdict !== null && submitted.how === 'finished'
        ? batch
        : await stage.follow({ batch, after: run.after, signal: interrupts.left, changed: () => report.touch() })
    left = end === undefined ? interrupts.how() : 'verdict'
    view =
      left === 'interrupted' && worked === 'private'
        ? await endPrivate(run, (store) => report.finish(store))
        : await report.finish()
  } finally {
    interrupts.giveBack()
  }
  const told = buildReport(view, { applyFrom: applyFrom(deps, run) })
  tellEnd(deps, run, { view, report: told, left, out })
  if (deps.github !== undefined) {
    tellGithub(
      { ...deps.github, err: deps.err },
      { view, report: told, files: filesOf(run.read), dir: run.read.body.dir },
    )
  }
  if (left === 'verdict') return view.batch.verdict?.exit_code ?? exitCode.ours
  return interrupts.wasAsked() ? exitCode.ok : exitCode.interrupted
}

/** A batch in a home of its own is found by none of the other verbs; the folder of its report is enough for `apply`. */
const applyFrom = ({ cwd }: Pick<CliDeps, 'cwd'>, { worked, reportDir }: FollowedRun): string | undefined =>
  worked === 'private' ? shellWord(fromHere(cwd, reportDir)) : undefined

function lookOf({ flags, out, err }: CliDeps): 'quiet' | 'picture' | 'lines' {
  if (flags.quiet) return 'quiet'
  return !flags.json && out.isTerminal && err.isTerminal ? 'picture' : 'lines'
}

/** That the batch goes on is told by its event. */
function sayChangedSince(stage: Stage, { changed_done }: SubmittedBatchView): void {
  if (changed_done.length === 0) return
  const shown = changed_done.slice(0, 5).map(onOneLine).join(', ')
  const more = changed_done.length > 5 ? ` and ${changed_done.length - 5} more` : ''
  stage.say(
    `Done before they or what they need changed in the file, and not repeated: ${shown}${more}. Repeat one: --redo KEY`,
  )
}

const filesOf = ({ rows }: ReadBatch): ReadonlyMap<string, string> =>
  new Map(rows.flatMap(({ key, file }) => (file === undefined ? [] : [[key, file] as const])))

/** Ends what runs, then reads the last report from the store, because the hub that would answer is gone by then. */
async function endPrivate(
  { hub, readAfterwards }: FollowedRun,
  finish: (store: Client) => Promise<BatchReportView>,
): Promise<BatchReportView> {
  await hub?.stop({ workers: 'end' })
  if (readAfterwards === undefined) throw new Error('a private run has a store of its own')
  const store = await readAfterwards()
  try {
    return await finish(store.client)
  } finally {
    await store.close()
  }
}

function tellEnd(
  deps: CliDeps,
  { worked, reportDir, home, submitted, read }: FollowedRun,
  {
    view,
    report,
    left,
    out,
  }: {
    readonly view: BatchReportView
    readonly report: Report
    readonly left: Left | 'verdict'
    readonly out: MovableOutput
  },
): void {
  const { cwd, paint, flags } = deps
  if (flags.json) writeJson(deps, reportJson(view, report))
  const place = { report, reportDir, cwd, width: out.width(), paint }
  const lines = closingLines({ ...place, privateHome: worked === 'private' ? home : undefined })
  if (flags.quiet) out.write(`${lines[0]}\n`)
  else
    out.write(
      `${[...lines, ...goOnLines(left, submitted.batch, { worked, file: read.body.file === null ? '-' : fromHere(cwd, read.body.file) })].join('\n')}\n`,
    )
}

function goOnLines(
  left: Left | 'verdict',
  { id }: BatchView,
  { worked, file }: { readonly worked: Worked; readonly file: string },
): readonly string[] {
  if (left === 'verdict') return []
  if (worked === 'shared') {
    return [`B${id} goes on in the hub. Watch: yardmaster watch B${id} · stop: yardmaster cancel B${id}`]
  }
  // The verdict above is of the batch; where an interrupt has brought it about, this program says that.
  return [`Interrupted: exit ${exitCode.interrupted}. Go on where it was: yardmaster run ${shellWord(file)}`]
}
