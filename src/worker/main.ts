import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createRedactor, createValueMask, systemClock, systemRandom, YardError } from '../kernel/index.ts'
import { type ChatEnd, endInWords, failed, noProgress } from './chat/chat-end.ts'
import { chatHelp } from './chat/chat-help.ts'
import { type ChatExitCode, exitCodeOf } from './chat/exit-code.ts'
import { loadOptions } from './chat/load-options.ts'
import { type BoardIdentity, parseArguments } from './chat/parse-arguments.ts'
import { builtInSystemPrompt, composePrompt, readPromptFile } from './chat/prompt.ts'
import { runChat } from './chat/run-chat.ts'
import { keyVariable, personsKeyVariable, takeEnvironment } from './chat/take-environment.ts'
import { workerError } from './errors.ts'
import { putLightWebInFront } from './provider/light-web.ts'
import type { Endpoint } from './provider/model-call.ts'
import { noTranscript } from './record/create-transcript.ts'
import { type CommandDesk, createCommandDesk, sayLeft } from './tools/terminal/command-desk.ts'
import type { CommandDeskDeps } from './tools/terminal/desk-deps.ts'
import { createTools } from './tools/tool-set.ts'

/**
 * `yardmaster chat`: one agent turn from a prompt to its end. The answer goes to stdout, the log to stderr. This is the
 * one place that reads the program's arguments and environment, hears its signals and sets its exit code.
 */
const parsed = parseArguments(process.argv.slice(3))
const board = parsed.kind === 'written' ? parsed.written.board : undefined
const taken = takeEnvironment(process.env, board === undefined ? 'person' : 'board_worker')
const knownSecrets = taken.apiKey === undefined ? [] : [taken.apiKey]
const redact = createRedactor(knownSecrets)
const maskKnown = createValueMask(knownSecrets)
const progress = noProgress()
const stopped = new AbortController()
let commands: CommandDesk | undefined
const startedMs = systemClock.monotonicMs()

hearSignals()
void main()

async function main(): Promise<void> {
  switch (parsed.kind) {
    case 'help':
      process.stdout.write(chatHelp())
      return leave(0)
    case 'written':
      return endWith(await chat(parsed).catch(endOfRefusal))
  }
}

function hearSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopped.signal.aborted) {
        commands?.killNow()
        leave(130) // told twice: at once
      }
      log(`${signal}: stopping`)
      stopped.abort()
    })
  }
  process.on('uncaughtException', (fault) => {
    log(fault.stack ?? String(fault))
    void endWith(endOfRefusal(fault))
  })
  // A reader that went away does not stop the work: report and exit code still tell how it ended.
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
}

async function chat(written: Extract<typeof parsed, { kind: 'written' }>): Promise<ChatEnd> {
  const { options, folder, apiKey } = await loadOptions({ cwd: process.cwd(), taken }, written)
  if (apiKey === undefined && !options.keyless) {
    const variables = options.board === undefined ? [keyVariable, personsKeyVariable] : [keyVariable]
    throw workerError('WORKER_NO_KEY', { variables })
  }
  const { baseUrl, headers } = options
  const prompt = composePrompt(options.query, options.promptFile)
  const system = options.systemFile === undefined ? builtInSystemPrompt : readPromptFile(options.systemFile)
  const workspace = realpathSync(folder)
  log(`chat: model ${options.models.join(', ')} at ${new URL(baseUrl).host}, workspace ${workspace}`)
  commands = createCommandDesk({
    clock: systemClock,
    workspace,
    env: taken.env,
    boardWorker: options.board !== undefined,
    knownSecrets,
    log,
    commandTimeoutMs: options.commandTimeoutMs,
    ...placeOfOutputs(options.board),
    heartbeatMs: 60_000,
    sandbox: options.sandbox === 'none' ? undefined : { network: 'on', hidden: [], readable: [] },
  })
  await commands.checkSandbox()
  putLightWebInFront()
  const tools = createTools({
    clock: systemClock,
    workspace,
    commands,
    given: options.board === undefined ? undefined : folderOf(taken.env.YARDMASTER_ATTACHMENTS),
    handedBack: options.board === undefined ? undefined : progress.handedBack,
    knownSecrets,
    maskKnown,
  })
  const endpoint: Endpoint = {
    baseUrl,
    apiKey: options.keyless ? null : (apiKey ?? null),
    api: options.api,
    headers,
  }
  const deps = { clock: systemClock, random: systemRandom, log, redact, maskKnown, transcript: noTranscript }
  return await runChat(deps, {
    options,
    endpoint,
    system,
    prompt,
    progress,
    tools,
    startedMs,
    signal: stopped.signal,
  })
}

/** Outputs too long for the model: an attempt at a card keeps them in its run directory, a person's worker takes them away. */
function placeOfOutputs(identity: BoardIdentity | undefined): Pick<CommandDeskDeps, 'spillFolder' | 'spilled'> {
  return identity === undefined
    ? { spillFolder: join(tmpdir(), `yardmaster-chat-${systemRandom.hex(8)}`), spilled: 'removed' }
    : { spillFolder: join(dirname(resolve(identity.reportFile)), 'outputs'), spilled: 'kept' }
}

/** Undefined where there is none: then there is nothing to be read there. */
function folderOf(path: string | undefined): string | undefined {
  try {
    return path === undefined ? undefined : realpathSync(path)
  } catch {
    return undefined
  }
}

/** What was refused before the work or broke in it, in words for people. Anything without a code is a fault of ours. */
function endOfRefusal(fault: unknown): ChatEnd {
  if (!(fault instanceof YardError)) return failed('crashed', `a fault of the worker: ${String(fault)}`)
  const message = `${fault.message}. Fix: ${fault.fix} [${fault.code}]`
  return fault.code === 'WORKER_NO_KEY'
    ? { ...failed('auth', message), needsHuman: 'access' }
    : failed('bad_arguments', message)
}

/** The end of every path: report, answer, last words, exit code. */
async function endWith(end: ChatEnd): Promise<void> {
  const left = (await commands?.closeAll()) ?? []
  progress.left = left.map(({ command }) => command)
  for (const one of left) log(sayLeft(one))
  const report = await reportTo(board, end)
  if (end.kind === 'completed') await say(process.stdout, `${maskKnown(progress.text.trimEnd())}\n`)
  else log(`chat: ${endInWords(end.kind)}: ${end.message}`)
  await say(process.stderr, '')
  leave(exitCodeOf(end, report))
}

/** Resolves when the text has left: a slow reader of a pipe would else lose what is still in our memory at the exit. */
function say(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => stream.write(text, () => resolve()))
}

async function reportTo(
  identity: BoardIdentity | undefined,
  end: ChatEnd,
): Promise<'not_asked' | 'written' | 'not_written'> {
  if (identity === undefined) return 'not_asked'
  try {
    const { leaveReport } = await import('./chat/leave-report.ts')
    leaveReport({ redact, nowMs: systemClock.nowMs() }, { board: identity, end, progress })
    return 'written'
  } catch (fault) {
    log(`the report ${identity.reportFile} cannot be written: ${(fault as Error).message}`)
    return 'not_written'
  }
}

function log(line: string): void {
  process.stderr.write(`${redact(line)}\n`)
}

function leave(code: ChatExitCode): never {
  process.exit(code)
}
