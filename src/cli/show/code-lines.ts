import type { ChangeView, RunView, StageView } from '../../api/contract/index.ts'
import { describeDuration } from '../../kernel/index.ts'
import { labelled } from '../render/labelled.ts'
import { runLengthMs } from '../render/times.ts'
import { onManyLines, onOneLine } from '../render/visible.ts'
import { count, endOf } from '../render/words.ts'
import { isUnchanged, linesOf } from '../report/index.ts'
import type { ShowLook } from './show-look.ts'

/**
 * What a task's attempts did to code and what our checks made of it: branch and size, set-up, check. Nothing where none of it
 * was, but for `dueCheck`: what is said of a check while no attempt has come so far.
 */
export function codeLines(runs: readonly RunView[], look: ShowLook, dueCheck?: string): readonly string[] {
  const last = runs.at(-1)
  const change = runs.findLast((run) => run.change !== null)?.change ?? null
  const setUp = runs.flatMap(({ stages }) => stages).findLast(({ kind }) => kind === 'prepare')
  return [
    ...(change === null ? [] : labelled(look, 'code', changeWords(change))),
    ...(setUp === undefined ? [] : labelled(look, 'setup', stageWords(setUp, look))),
    ...labelled(look, 'check', checkWords(runs, look) ?? dueCheck),
    ...(last === undefined ? [] : decidingLines(last, look)),
  ]
}

const mostNamed = 5

function changeWords(change: ChangeView): readonly string[] {
  const { branch, base_ref, base_commit, outside, notes } = change
  const base = `${base_ref === null ? '' : `${onOneLine(base_ref)}@`}${base_commit.slice(0, 7)}`
  const named = outside.slice(0, mostNamed).map(onOneLine).join(', ')
  const more = outside.length > mostNamed ? ` and ${outside.length - mostNamed} more` : ''
  return [
    `branch ${onOneLine(branch)}, ${sizeWords(change, base)}`,
    ...(outside.length === 0 ? [] : [`outside of what it may change: ${named}${more}`]),
    ...notes.map(onOneLine),
  ]
}

function sizeWords(change: ChangeView, base: string): string {
  if (isUnchanged(change)) return `nothing changed since ${base}`
  const { commits, file_count, insertions, deletions, left_overs } = change
  const size = `${count(file_count, 'file')} +${insertions} -${deletions}`
  const ours = left_overs ? ' (left-overs committed by yardmaster)' : ''
  return `${count(commits, 'commit')} on ${base}, ${size}${ours}`
}

/** The newest check first, then how those of the attempts before it ended; undefined where none was ever begun. */
function checkWords(runs: readonly RunView[], look: ShowLook): readonly string[] | undefined {
  const checks = runs.flatMap(({ attempt, stages }) =>
    stages.filter(({ kind }) => kind === 'check').map((stage) => ({ attempt, stage })),
  )
  const newest = checks.at(-1)
  if (newest === undefined) return undefined
  const earlier = checks.slice(-1 - mostNamed, -1).map(({ attempt, stage }) => {
    const line = linesOf(stage.output_tail).at(-1)
    return `attempt ${attempt}: ${endWords(stage)}${line === undefined ? '' : `, "${line}"`}`
  })
  return [stageWords(newest.stage, look), ...earlier]
}

/** `npm test: exit 0 in 38s`. */
function stageWords(stage: StageView, { nowMs }: ShowLook): string {
  const { command, started_at, ended_at } = stage
  const lengthMs = runLengthMs({ started_at, exited_at: ended_at }, nowMs) ?? 0
  const length = describeDuration(lengthMs)
  return `${onOneLine(command)}: ${ended_at === null ? `runs, for ${length}` : `${endWords(stage)} in ${length}`}`
}

/** A code says all there is to say; anything else has its reason. */
function endWords(stage: StageView): string {
  const end = endOf(stage)
  if (end !== undefined && stage.signal === null) return end
  return onOneLine(stage.reason ?? end ?? 'end not knowable')
}

const decides: Readonly<Record<string, StageView['kind']>> = {
  check_failed: 'check',
  check_error: 'check',
  launch_failed: 'prepare',
}

/** What the stage printed that decided the last attempt: the work's own output says nothing of it. */
function decidingLines({ id, outcome, stages }: RunView, look: ShowLook): readonly string[] {
  const kind = outcome === null ? undefined : decides[outcome]
  const tail = stages.findLast((stage) => stage.kind === kind)?.output_tail ?? null
  if (tail === null || kind === undefined) return []
  const lines = onManyLines(tail.trimEnd()).split('\n')
  return labelled(look, '', [
    ...lines.map((line) => look.paint.dim('| ') + line),
    `all of it: yardmaster log R${id} --stage ${kind}`,
  ])
}
