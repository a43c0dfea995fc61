import { isYardError, systemClock, systemRandom } from '../kernel/index.ts'
import { composeJsonOutput, composeTextOutput } from './answer/compose-output.ts'
import { readHandover } from './board/read-handover.ts'
import { type ChatEnd, endInWords, failed, interrupted, noProgress } from './chat/chat-end.ts'
import { chatHelp } from './chat/chat-help.ts'
import { eraseEnvironment } from './chat/erase-environment.ts'
import { type ChatExitCode, exitCodeOf } from './chat/exit-code.ts'
import { Masks } from './chat/masks.ts'
import { type Opened, openChat } from './chat/open-chat.ts'
import { parseArguments } from './chat/parse-arguments.ts'
import { takeEnvironment } from './chat/take-environment.ts'
import { workerError } from './errors.ts'
import { putLightWebInFront } from './provider/light-web.ts'
import { countEnd } from './record/counters.ts'
import { sayLeft } from './tools/terminal/command-desk.ts'

/**
 * `yardmaster chat`: one agent turn from a prompt to its end. The answer goes to stdout, the log to stderr. This is the
 * one place that reads the program's arguments and environment, hears its signals and sets its exit code.
 */
const startedMs = systemClock.monotonicMs()
const parsed = parseArguments(process.argv.slice(3))
const identity = parsed.kind === 'written' ? parsed.written.board : undefined
// Read before anything else can be started, which would inherit it.
const handed = process.env.YARDMASTER_HUB_FILE === undefined ? undefined : readHandover(3)
const taken = takeEnvironment(process.env, identity === undefined ? 'person' : 'board_worker', handed?.key)
eraseEnvironment({ names: Object.keys(taken.removed), values: [taken.apiKey] })
const masks = new Masks()
masks.learn(taken.apiKey)
masks.learn(handed?.token)
const progress = noProgress()
const stopped = new AbortController()
const opened: Opened = {}
/** What ends the worker is decided once. */
let ending: Promise<void> | undefined

process.exitCode = 1 // 0 has to be earned: whoever runs out of things to do has not
hearSignals()
void main()

async function main(): Promise<void> {
  switch (parsed.kind) {
    case 'help':
      return leave((await say(process.stdout, chatHelp(process.stdout.columns))) === undefined ? 0 : 1)
    case 'written':
      return endOnce(await chat(parsed).catch(endOfBreak))
  }
}

function hearSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopped.signal.aborted) {
        opened.commands?.killNow()
        leave(130) // told twice: at once
      }
      log(`${signal}: stopping`)
      stopped.abort()
    })
  }
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (fault) => {
      log(fault instanceof Error ? (fault.stack ?? String(fault)) : String(fault))
      void endOnce(stopped.signal.aborted ? interrupted : endOfRefusal(fault))
    })
  }
  // A reader that went away does not stop the work: report and exit code still tell how it ended.
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
}

async function chat(written: Extract<typeof parsed, { kind: 'written' }>): Promise<ChatEnd> {
  putLightWebInFront()
  const deps = { clock: systemClock, random: systemRandom, log, masks }
  const stdin = () => process.stdin
  const cwd = currentFolder()
  return await openChat(
    deps,
    { written, cwd, taken, stdin, token: handed?.token, startedMs, progress, signal: stopped.signal },
    opened,
  )
}

function currentFolder(): string {
  try {
    return process.cwd()
  } catch (cause) {
    throw workerError('WORKER_BAD_ARGUMENTS', { faults: ['the current folder has been removed'] }, cause)
  }
}

/** Who was told to stop has stopped, whatever has broken because of it. */
function endOfBreak(fault: unknown): ChatEnd {
  if (!stopped.signal.aborted) return endOfRefusal(fault)
  if (!isYardError(fault)) log(`while stopping: ${String(fault)}`)
  return interrupted
}

/** What was refused before the work or broke in it, in words for people. Anything without a code is a fault of ours. */
function endOfRefusal(fault: unknown): ChatEnd {
  if (!isYardError(fault)) return failed('crashed', `a fault of the worker: ${String(fault)}`)
  const message = `${fault.message}${fault.message.endsWith('?') ? '' : '.'} Fix: ${fault.fix} [${fault.code}]`
  return fault.code === 'WORKER_NO_KEY'
    ? { ...failed('auth', message), needsHuman: 'access' }
    : failed('bad_arguments', message)
}

/** The end of every path, once: the first reason wins, and what breaks while the worker ends changes nothing about it. */
function endOnce(end: ChatEnd): Promise<void> {
  ending ??= endWith(end).catch((fault) => {
    log(`a fault of the worker at its end: ${String(fault)}`)
    leave(1)
  })
  return ending
}

/** What still runs, report, answer, last words, exit code. */
async function endWith(end: ChatEnd): Promise<void> {
  // What cannot be ended here is swept by whoever watches the run; its report must not be lost over it.
  const left = (await opened.commands?.closeAll().catch(() => [])) ?? []
  progress.left = left.map(({ command }) => command)
  for (const one of left) log(sayLeft(one))
  countEnd(progress.counters, end.kind === 'partial' ? (end.reason ?? end.kind) : end.kind)
  opened.board?.close()
  const report = await reportOf(end)
  const fault = await say(process.stdout, outputOf(end, exitCodeOf(end, report)))
  const told = identity === undefined && fault !== undefined ? endUntold(end, fault) : end
  if (told.kind !== 'completed') log(`chat: ${endInWords(told.kind)}: ${told.message}`)
  await say(process.stderr, '')
  leave(exitCodeOf(told, report))
}

/** A person has an answer from stdout alone. A reader that went away had what it wanted; a disk that is full had not. */
function endUntold(end: ChatEnd, fault: NodeJS.ErrnoException): ChatEnd {
  if (end.kind !== 'completed' || fault.code === 'EPIPE') return end
  return failed('answer_not_written', `the answer cannot be written to stdout: ${fault.message}`)
}

function outputOf(end: ChatEnd, exit: ChatExitCode): string {
  const isJson = parsed.kind === 'written' && parsed.written.output === 'json'
  const compose = isJson ? composeJsonOutput : composeTextOutput
  return compose(masks, { end, progress, exit })
}

/**
 * Resolves when the text has left, to what has kept it from that: a slow reader of a pipe would else lose what is still in
 * our memory at the exit.
 */
function say(stream: NodeJS.WriteStream, text: string): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => stream.write(text, (fault) => resolve(fault ?? undefined)))
}

/** After a lost claim nothing is written in the run's name any more. */
async function reportOf(end: ChatEnd): Promise<'not_asked' | 'written' | 'not_written'> {
  if (end.reason === 'lost_claim') return 'not_asked'
  const { transcript } = opened
  const nowMs = systemClock.nowMs()
  const code = exitCodeOf(end, identity === undefined ? 'not_asked' : 'written')
  transcript?.write({ kind: 'end', at: new Date(nowMs).toISOString(), code, status: end.kind, reason: end.reason })
  if (identity === undefined) return 'not_asked'
  try {
    const { leaveReport } = await import('./chat/leave-report.ts')
    leaveReport({ redact: masks.redact, nowMs }, { board: identity, end, progress, transcript })
    return 'written'
  } catch (fault) {
    log(`the report ${identity.reportFile} cannot be written: ${(fault as Error).message}`)
    return 'not_written'
  }
}

/** What a model or a provider says must not move the cursor of whoever reads along. */
function log(line: string): void {
  const written = (byte: string) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`
  const plain = masks.redact(line).replace(/(?![\t\n])\p{Cc}/gu, written)
  process.stderr.write(`${plain}\n`)
}

function leave(code: ChatExitCode): never {
  process.exit(code)
}
