import { join } from 'node:path'
import type { RunView } from '../../api/contract/index.ts'
import { describeDuration, describeSize, sayActor } from '../../kernel/index.ts'
import { costWords } from '../render/cost-words.ts'
import { labelled } from '../render/labelled.ts'
import { clockTime, runLengthMs } from '../render/times.ts'
import { onManyLines, onOneLine } from '../render/visible.ts'
import { endOf, endOutcome, heldWords } from '../render/words.ts'
import { codeLines } from './code-lines.ts'
import type { ShowLook } from './show-look.ts'

export type { ShowLook } from './show-look.ts'

/** One attempt in full: `show R12`. */
export function runLines(run: RunView, look: ShowLook): readonly string[] {
  const { paint, nowMs } = look
  const account = run.account === null ? '' : ` · account ${onOneLine(run.account)}${run.probe ? ', as its probe' : ''}`
  return [
    paint.bold(`R${run.id} attempt ${run.attempt} of T${run.task}`),
    ...labelled(look, 'lane', `${run.lane}${account} · slot ${run.slot}`),
    ...labelled(look, 'when', whenOf(run, nowMs)),
    ...labelled(look, 'host', run.elsewhere ? `${run.host}, another machine` : undefined),
    ...labelled(look, 'ended', run.outcome === null ? stillRuns(run) : endWords(run, nowMs)),
    ...labelled(look, 'stop', stopWords(run)),
    ...labelled(look, 'used', useWords(run)),
    ...labelled(look, 'tokens', tokenWords(run)),
    ...labelled(look, 'cost', costWords(run.cost_usd)),
    ...labelled(look, 'counted', countedWords(run)),
    ...labelled(look, 'called', callWords(run, nowMs)),
    ...codeLines([run], look),
    ...evidenceLines(run, look),
    ...labelled(
      look,
      'let go',
      run.released_by === null ? undefined : `by ${onOneLine(run.released_by)}, although it might have been alive`,
    ),
    ...labelled(
      look,
      'next',
      `${run.pruned_at === null ? `yardmaster log R${run.id} · ` : ''}yardmaster show T${run.task}`,
    ),
  ]
}

/** What an attempt left behind: its answer, the end of its output, and where all of it is (C49). */
export function evidenceLines(run: RunView, look: ShowLook): readonly string[] {
  const { result, output_tail } = run
  // A command that reports nothing has its last lines for a result: they are shown once, all of them.
  const said = result === null || result.trim() === output_tail?.trim() ? undefined : clipped(result)
  const tail = output_tail === null ? [] : onManyLines(output_tail.trimEnd()).split('\n')
  return [
    ...labelled(look, 'refused', refusalWords(run)),
    ...labelled(look, 'asks', askedLines(run)),
    ...labelled(look, 'said', said),
    ...labelled(look, 'output', tail.length === 0 ? undefined : tail.map((line) => look.paint.dim('| ') + line)),
    ...labelled(look, 'log', logWords(run, look.nowMs)),
  ]
}

/** What whoever asks a provider about it needs: whose words, how they were taken, and the number of the request. */
function refusalWords({ refusal, outcome }: RunView): string | undefined {
  if (refusal === null) return undefined
  const { class: kind, reason, provider, status, code, request_id } = refusal
  const http = [...(status === null ? [] : [`HTTP ${status}`]), ...(code === null ? [] : [code])].join(', ')
  const facts = [
    `${provider === null ? '' : `by ${provider}: `}${reason} [${kind}]`,
    ...(http === '' ? [] : [http]),
    ...(request_id === null ? [] : [`request ${request_id}`]),
    ...(outcome === 'done' ? ['it went on all the same'] : []),
  ]
  return onOneLine(facts.join(' · '))
}

/** The whole of what it asked for, where its end says only the beginning. */
function askedLines({ call, reason }: RunView): readonly string[] | undefined {
  if (call === null || call.kind === 'complete' || call.text === '' || reason?.includes(call.text)) return undefined
  return onManyLines(call.text.trimEnd()).split('\n')
}

function logWords({ id, dir, pruned_at, imported }: RunView, nowMs: number): string {
  if (imported) return 'stayed in the home where it ran: the attempt came with an imported board'
  if (pruned_at !== null) return `not kept any more, since ${clockTime(pruned_at, nowMs)} (keep in yardmaster.yaml)`
  return `${join(dir, 'output.log')} (yardmaster log R${id})`
}

/** `failed, exit 1, after 21m: the reason`. */
export function endWords(run: RunView, nowMs: number): string {
  if (run.outcome === null) return stillRuns(run)
  const lengthMs = runLengthMs(run, nowMs)
  const facts = [
    endOutcome({ outcome: run.outcome, call: run.call }),
    ...[endOf(run)].filter((one) => one !== undefined),
    ...(lengthMs === undefined ? [] : [`after ${describeDuration(lengthMs)}`]),
  ]
  const saysMore = run.reason !== null && run.reason !== `exit code ${run.exit_code}`
  return facts.join(', ') + (saysMore ? `: ${onOneLine(run.reason ?? '')}` : '')
}

function stillRuns(run: RunView): string {
  const { phase, pid, live } = run
  const held = heldWords(run)
  if (held !== undefined) return held
  if (phase === 'claimed' || pid === null) return 'it is being started'
  const processes = live === null ? '' : `, ${live.processes} process${live.processes === 1 ? '' : 'es'}`
  return `it runs: pid ${pid}${processes}`
}

function whenOf({ claimed_at, started_at, exited_at }: RunView, nowMs: number): string {
  const from = clockTime(started_at ?? claimed_at, nowMs)
  return exited_at === null ? `since ${from}` : `${from} to ${clockTime(exited_at, nowMs)}`
}

function stopWords({ stop, rung }: RunView): string | undefined {
  if (stop === null) return undefined
  const text = stop.text === '' ? '' : `: ${onOneLine(stop.text)}`
  const how = rung === null ? '' : `, with ${rung}`
  const late = stop.delivered ? '' : ', too late: it had ended already'
  return `${stop.kind} by ${onOneLine(sayActor(stop.by))}${text}${how}${late}`
}

/** `peak 412 MiB, 38 s CPU`; of one that runs, so far. */
function useWords({ peak_rss_bytes, cpu_seconds, live }: RunView): string | undefined {
  if (live !== null) return `${describeSize(live.rss_bytes)} now, ${Math.round(live.cpu_seconds)} s CPU so far`
  if (peak_rss_bytes === null || cpu_seconds === null) return undefined
  return `peak ${describeSize(peak_rss_bytes)}, ${cpuWords(cpu_seconds)} CPU`
}

const cpuWords = (seconds: number): string =>
  seconds < 10 ? `${Math.round(seconds * 10) / 10} s` : `${Math.round(seconds)} s`

/** What it said to the board: its last word, its last sign of life, and what it still called when it was over. */
function callWords({ call, heartbeat_at, late_calls }: RunView, nowMs: number): string | undefined {
  const parts = [
    ...(call === null
      ? []
      : [`${call.kind}${call.on_task === null ? '' : ` T${call.on_task}`} at ${clockTime(call.at, nowMs)}`]),
    ...(heartbeat_at === null ? [] : [`last sign of life ${clockTime(heartbeat_at, nowMs)}`]),
    ...(late_calls === 0 ? [] : [`${late_calls} ${late_calls === 1 ? 'call' : 'calls'} after its end, not taken`]),
  ]
  return parts.length === 0 ? undefined : parts.join(' · ')
}

function tokenWords({ usage, model }: RunView): string | undefined {
  if (usage === null) return undefined
  const { input_tokens, cached_tokens, output_tokens, calls } = usage
  const by = model === null ? '' : `, ${onOneLine(model)}`
  return `${input_tokens} in (${cached_tokens} cached), ${output_tokens} out, ${calls} call${calls === 1 ? '' : 's'}${by}`
}

/** What went unusual in it; how much of all there was stands in `--json`. */
function countedWords({ counts, compactions }: RunView): string | undefined {
  const told = Object.entries(counts).filter(
    ([name]) => !['replies', 'tool_calls'].includes(name) && !name.startsWith('end_'),
  )
  const parts = [
    ...told.map(([name, times]) => `${onOneLine(name).replaceAll('_', ' ')} ${times}`),
    ...(compactions === 0 ? [] : [`conversation made smaller ${compactions}`]),
  ]
  return parts.length === 0 ? undefined : parts.join(' · ')
}

const longestSaid = 12

function clipped(text: string): readonly string[] {
  const lines = onManyLines(text).split('\n')
  return lines.length <= longestSaid
    ? lines
    : [...lines.slice(0, longestSaid), `… ${lines.length - longestSaid} more lines`]
}
