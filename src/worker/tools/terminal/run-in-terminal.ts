import { statSync } from 'node:fs'
import { cutAtWord, describeDuration } from '../../../kernel/index.ts'
import { longestArgumentBytes } from '../../../kernel/process/index.ts'
import { resolveInside } from '../files/inside-workspace.ts'
import type { ToolArguments, ToolOrder, ToolResult } from '../tool.ts'
import type { BackgroundCommand, BackgroundCommands } from './background-commands.ts'
import { describeEnd, footer, oneLine, withTime } from './describe-command.ts'
import type { CommandDeskDeps } from './desk-deps.ts'
import { guardCommand } from './guard-command.ts'
import type { RunningCommand } from './running-command.ts'
import { type Endless, findEndless } from './shell/find-endless.ts'

/** What the tool works with: the desk's own, and how a command of it is started. */
export interface TerminalDeps extends CommandDeskDeps {
  readonly background: BackgroundCommands
  /** Starts it, or says in a sentence why it could not be. */
  readonly start: (order: { readonly command: string; readonly cwd: string }) => Promise<RunningCommand | string>
}

/** So long the model waits at most; what may run longer does so in the background. */
const longestWaitMs = 600_000
/** What ends within a moment is told whole, also when somebody wants attention or it was sent into the background. */
const momentMs = 300

/** One call of the tool `terminal`. A command is started once, whatever comes then: it is moved, never repeated. */
export async function runInTerminal(deps: TerminalDeps, args: ToolArguments, order: ToolOrder): Promise<ToolResult> {
  const command = String(args.command)
  const limitMs = args.timeout_seconds === undefined ? undefined : Number(args.timeout_seconds) * 1_000
  const wantsBackground = args.background === true
  const isPromoted = !wantsBackground && limitMs !== undefined && limitMs > longestWaitMs
  const no = await refusalOf(deps, { command, wantsBackground, needsRoom: wantsBackground || isPromoted }, order.signal)
  if (no !== undefined) return refused(command, no)
  const cwd = await readCwd(deps.workspace, args.cwd)
  if (!cwd.ok) return refused(command, { says: cwd.says })
  if (order.signal.aborted) return refused(command, { says: 'the worker was told to stop' })
  const running = await deps.start({ command, cwd: cwd.path })
  if (typeof running === 'string') return refused(command, { says: running })
  if (wantsBackground || isPromoted) {
    running.limitTo(limitMs)
    await endsWithin(deps, running, momentMs, order.signal)
    const why = isPromoted
      ? `it may run longer than the ${describeDuration(longestWaitMs)} that are waited for`
      : undefined
    return running.end === undefined ? sentAway(deps.background.add(running), why) : told(running, limitMs)
  }
  running.limitTo(limitMs ?? deps.commandTimeoutMs)
  return await waitFor(deps, running, { limitMs, order })
}

async function waitFor(
  deps: TerminalDeps,
  running: RunningCommand,
  { limitMs, order }: { readonly limitMs: number | undefined; readonly order: ToolOrder },
): Promise<ToolResult> {
  const onStop = () => running.cut(order.signal.reason === 'run' ? 'out_of_time' : 'interrupted')
  order.signal.addEventListener('abort', onStop, { once: true })
  if (order.signal.aborted) onStop()
  try {
    await Promise.race([running.ended, aborted(order.attention, running.ended)])
    if (running.end === undefined && !order.signal.aborted) await endsWithin(deps, running, momentMs, order.signal)
    if (running.end === undefined && !order.signal.aborted) {
      running.limitTo(limitMs) // the limit that nobody asked for was one of waiting
      return sentAway(deps.background.add(running), 'somebody wants your attention')
    }
    await running.ended
    return told(running, limitMs ?? deps.commandTimeoutMs)
  } finally {
    order.signal.removeEventListener('abort', onStop)
  }
}

/** Resolves when the signal fires, and leaves nothing with it once the command has ended. */
function aborted(signal: AbortSignal, ended: Promise<unknown>): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const heard = () => resolve()
    signal.addEventListener('abort', heard, { once: true })
    void ended.then(() => signal.removeEventListener('abort', heard))
  })
}

async function endsWithin(
  { clock }: Pick<TerminalDeps, 'clock'>,
  running: RunningCommand,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController()
  const waited = clock.sleep(ms, AbortSignal.any([over.signal, signal])).catch(() => {}) // it has ended before
  await Promise.race([running.ended, waited])
  over.abort()
}

interface Refusal {
  readonly says: string
  readonly counts?: string
}

async function refusalOf(
  deps: TerminalDeps,
  { command, wantsBackground, needsRoom }: { command: string; wantsBackground: boolean; needsRoom: boolean },
  signal: AbortSignal,
): Promise<Refusal | undefined> {
  if (command.includes('\0')) return { says: 'the command holds a zero byte' }
  const bytes = Buffer.byteLength(command)
  if (bytes > longestCommandBytes) {
    return { says: `it has ${bytes} bytes, more than ${longestCommandBytes}: write it to a file and run that` }
  }
  const endless = findEndless(command)
  if (endless !== undefined && !(endless.kind === 'serves' && wantsBackground)) {
    return { says: adviceFor(endless), counts: 'guard_endless_command' }
  }
  const answer = await guardCommand(deps, command, signal)
  if (answer.kind === 'denied') return { says: `${answer.says}. Do it another way`, counts: 'guard_denied_command' }
  if (answer.kind === 'needs_approval') {
    const way = 'nobody can give it here: call block with kind approval and name the command, or go on without it'
    return { says: `${answer.says}, and ${way}`, counts: 'guard_approval_needed' }
  }
  return needsRoom && !deps.background.hasRoom()
    ? { says: 'too many commands run in the background; kill some with process first' }
    : undefined
}

/** What a shell does before the command: one pipe for both outputs keeps the order in which they were written. */
export const shellProlog = 'exec 2>&1; '
const longestCommandBytes = longestArgumentBytes - shellProlog.length

function adviceFor(endless: Endless): string {
  const way = 'say background: true, and look after it with process'
  return endless.kind === 'serves'
    ? `${endless.by} does not end by itself: ${way}`
    : `${endless.by} leaves behind what nobody looks after: leave ${endless.by} out, ${way}`
}

async function readCwd(
  workspace: string,
  asked: unknown,
): Promise<{ readonly ok: true; readonly path: string } | { readonly ok: false; readonly says: string }> {
  if (asked === undefined || asked === '') return { ok: true, path: workspace }
  const inside = await resolveInside(workspace, String(asked))
  if (!inside.ok) return inside
  const isFolder = statSync(inside.path, { throwIfNoEntry: false })?.isDirectory() === true
  return isFolder ? inside : { ok: false, says: `${inside.shown} is no folder` }
}

function told(running: RunningCommand, limitMs: number | undefined): ToolResult {
  const { end, output, elapsedMs } = running
  const limit = limitMs === undefined ? '' : ` of ${describeDuration(limitMs)}`
  const isTimedOut = end?.kind === 'timed_out'
  const says = end === undefined ? 'runs' : `${describeEnd(end)}${isTimedOut ? limit : ''}`
  const left = running.leftRunning
    ? 'something it started still runs in the background; its output is no longer read'
    : undefined
  const advice = isTimedOut ? 'more time: timeout_seconds up to 600, or background: true' : undefined
  const text = output.shownBytes === 0 ? '[no output]' : output.whole()
  return {
    text: `${text}${footer([withTime(says, elapsedMs), output.describeSpill(), left, advice])}`,
    summary: `terminal: ${oneLine(running.command)}: ${withTime(says, elapsedMs)}, ${output.rawBytes} bytes`,
    outcome: end?.kind === 'code' && end.code === 0 ? 'ok' : 'failed',
    ...(isTimedOut ? { counts: ['command_timed_out'] } : {}), // a guard of the turn loop counts these
  }
}

function sentAway({ id, running }: BackgroundCommand, why: string | undefined): ToolResult {
  const { output, elapsedMs } = running
  const reason = why === undefined ? '' : ` because ${why}`
  const says = `${id} runs in the background${reason}; process poll, wait, log and kill take this id`
  const text = output.shownBytes === 0 ? '[no output yet]' : output.whole()
  return {
    text: `${text}${footer([says, output.describeSpill()])}`,
    summary: `terminal: ${oneLine(running.command)}: ${withTime(`${id} goes on in the background`, elapsedMs)}`,
    outcome: 'ok',
  }
}

const refused = (command: string, { says, counts }: Refusal): ToolResult => ({
  text: `error: not started: ${says}`,
  summary: `terminal: ${oneLine(command)}: not started: ${cutAtWord(says, 200)}`,
  outcome: 'failed',
  ...(counts === undefined ? {} : { counts: [counts] }),
})
