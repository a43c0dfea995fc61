import { realpathSync } from 'node:fs'
import type { Clock, Random } from '../../kernel/index.ts'
import { readAgentsFile, sayAgentsFile } from '../../runs/index.ts'
import { fencePiped, readPiped } from '../answer/read-piped.ts'
import type { BoardConnection } from '../board/connect-board.ts'
import { workerError } from '../errors.ts'
import type { ModelMessage } from '../provider/model-call.ts'
import { createTranscript, type KeptTranscript, noTranscript } from '../record/create-transcript.ts'
import type { CommandDesk } from '../tools/terminal/command-desk.ts'
import type { Tool } from '../tools/tool.ts'
import { createTools } from '../tools/tool-set.ts'
import { askBeforeEnding } from './ask-before-ending.ts'
import { type ChatEnd, type ChatProgress, failed, lostClaim } from './chat-end.ts'
import { declaredSecrets } from './declared-secrets.ts'
import { eraseEnvironment } from './erase-environment.ts'
import { type LoadedOptions, loadOptions } from './load-options.ts'
import type { Masks } from './masks.ts'
import { openDesk } from './open-desk.ts'
import type { ParsedArguments } from './parse-arguments.ts'
import { buildSystemPrompt, composePrompt, readPromptFile } from './prompt.ts'
import type { ChatOptions } from './resolve-settings.ts'
import { runChat } from './run-chat.ts'
import { selectTools } from './select-tools.ts'
import { keyVariable, personsKeyVariable, type TakenEnvironment } from './take-environment.ts'

export interface OpenDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: (line: string) => void
  readonly masks: Masks
}

export interface OpenInput {
  readonly written: Extract<ParsedArguments, { readonly kind: 'written' }>
  /** Where it was started. */
  readonly cwd: string
  readonly taken: TakenEnvironment
  /** Asked for only where it is read. */
  readonly stdin: () => AsyncIterable<Uint8Array | string>
  /** The run's own for its hub; undefined: it has none. */
  readonly token: string | undefined
  readonly startedMs: number
  readonly progress: ChatProgress
  readonly signal: AbortSignal
}

/** What has been opened by now, for whoever ends the worker at any moment. */
export interface Opened {
  commands?: CommandDesk
  transcript?: KeptTranscript
  board?: BoardConnection
}

/** Longer than any watchdog of the loop allows: a worker without any progress is not kept alive by its own heartbeat. */
const vetoAfterMs = 1_200_000

/** Puts one chat together from its line, its settings and its surroundings, and leads it to its end. */
export async function openChat(deps: OpenDeps, input: OpenInput, opened: Opened): Promise<ChatEnd> {
  const { clock, log, masks } = deps
  const { taken, progress, signal, startedMs } = input
  const { options, folder, apiKey } = await loadOptions(input, input.written)
  masks.learn(apiKey)
  if (apiKey !== taken.apiKey) eraseEnvironment({ names: [], values: [apiKey] }) // a lane may name any variable
  if (apiKey === undefined && !options.keyless) {
    const variables = options.board === undefined ? [keyVariable, personsKeyVariable] : [keyVariable]
    throw workerError('WORKER_NO_KEY', { variables })
  }
  const prompt = await readPrompt(deps, input, { options, folder })
  const answer = options.outputSchemaFile === undefined ? undefined : await loadCheck(options.outputSchemaFile)
  const before = options.continues === undefined ? undefined : await readBefore(options.continues)
  const workspace = realpathSync(folder)
  log(`chat: model ${options.models.join(', ')} at ${new URL(options.baseUrl).host}, workspace ${workspace}`)
  const board = await openBoard(deps, input, options)
  if (board !== undefined) opened.board = board.connection
  const opening = await board?.connection.opening
  if (opening?.kind === 'over') return lostClaim(opening.says)
  if (opening?.kind === 'wrong_store') return failed('wrong_store', opening.says)
  const isOfBoard = options.board !== undefined
  const surroundings = { env: taken.env, boardWorker: isOfBoard, knownSecrets: masks.known }
  // After that: its commands are given them, and nobody is to read them.
  if (isOfBoard) for (const secret of declaredSecrets(taken.env)) masks.learn(secret)
  const given = isOfBoard ? folderOf(taken.env.YARDMASTER_ATTACHMENTS) : undefined
  const commands = openDesk(deps, { options, workspace, surroundings, given })
  opened.commands = commands
  await commands.checkSandbox()
  const all = [
    ...createTools({
      clock,
      workspace,
      commands,
      surroundings,
      given,
      knownSecrets: masks.known,
      maskKnown: masks.maskKnown,
    }),
    ...(board === undefined ? [] : board.tools(workspace)),
  ]
  const tools = askBeforeEnding(selectTools(all, { allowed: options.tools, off: options.toolsOff }), commands)
  const system = options.systemFile === undefined ? buildSystemPrompt(tools) : readPromptFile(options.systemFile)
  // The last that can refuse: a run in the transcript without a word would hide the talk that was to be gone on with.
  const transcript = openTranscript(deps, options, tools)
  opened.transcript = transcript
  return await runChat(
    { ...deps, redact: masks.redact, maskKnown: masks.maskKnown, transcript },
    {
      options,
      endpoint: {
        baseUrl: options.baseUrl,
        apiKey: options.keyless ? null : (apiKey ?? null),
        api: options.api,
        headers: options.headers,
      },
      system,
      prompt,
      before,
      tools,
      board: board?.connection.link,
      answer,
      startedMs,
      lastRunReason: options.lastReason,
      signal,
      progress,
    },
  )
}

/** A worker of a board has its whole prompt from there. A person's has what was piped in, and what the files say of themselves. */
async function readPrompt(
  { clock, log, masks }: OpenDeps,
  { stdin, signal }: OpenInput,
  { options, folder }: Pick<LoadedOptions, 'options' | 'folder'>,
): Promise<string> {
  const { query, promptFile, board, continues } = options
  if (board !== undefined) return composePrompt(query, promptFile) // its stdin is nobody's word
  const use = query === '-' ? 'as_prompt' : 'as_context'
  const piped = await readPiped({ clock, log }, { stdin, descriptor: 0, use, signal })
  if (use === 'as_prompt' && piped === undefined) {
    throw workerError('WORKER_NO_PROMPT', { what: 'standard input', why: 'it is empty' })
  }
  const asked = use === 'as_prompt' ? piped : query
  const context = use === 'as_prompt' || piped === undefined ? undefined : fencePiped(piped)
  const agents = continues === undefined ? tellAgentsFile(log, folder) : undefined // else it was told before
  const parts = [composePrompt(asked, promptFile), context, agents === undefined ? undefined : masks.maskKnown(agents)]
  return parts.filter((part) => part !== undefined).join('\n\n')
}

/** For the prompt; and a person who relies on it is told, too. */
function tellAgentsFile(log: OpenDeps['log'], folder: string): string | undefined {
  const found = readAgentsFile(folder)
  if (found.kind === 'text') log(`chat: AGENTS.md goes along, ${found.bytes} bytes`)
  if (found.kind === 'refused') log(`chat: AGENTS.md is left out: ${found.why}`)
  return sayAgentsFile(found)
}

async function loadCheck(file: string) {
  const { loadAnswerCheck } = await import('../answer/output-schema.ts')
  return loadAnswerCheck(file)
}

/** Without its system prompt, which is made anew for the tools of now. */
async function readBefore(file: string): Promise<readonly ModelMessage[]> {
  const { readConversation } = await import('../record/read-conversation.ts')
  return readConversation(file).filter(({ role }) => role !== 'system')
}

/** Undefined for a person's chat, and for a worker that was given no token. */
async function openBoard({ clock, log, masks }: OpenDeps, input: OpenInput, options: ChatOptions) {
  const hubFile = input.taken.env.YARDMASTER_HUB_FILE
  if (options.board === undefined || input.token === undefined || hubFile === undefined) return undefined
  masks.learn(input.token)
  const { connectBoard, createBoardTools } = await import('../board/open-board.ts')
  const { redact, maskKnown } = masks
  const { runMs, grants } = options
  const timeLeftMs = () => (runMs === null ? Number.POSITIVE_INFINITY : input.startedMs + runMs - clock.monotonicMs())
  const connection = connectBoard(
    { clock, log, redact, maskKnown },
    {
      token: input.token,
      run: options.board.run,
      task: input.taken.env.YARDMASTER_TASK,
      hubFile,
      timeLeftMs,
      vetoAfterMs,
      signal: input.signal,
    },
  )
  const { handedBack } = input.progress
  const tools = (workspace: string): readonly Tool[] =>
    createBoardTools({ board: connection, grants, workspace, handedBack, redact, maskKnown })
  return { connection, tools }
}

function openTranscript({ clock, log, masks }: OpenDeps, options: ChatOptions, tools: readonly Tool[]): KeptTranscript {
  if (options.transcriptFile === null) return noTranscript
  const transcript = createTranscript({ redact: masks.redact, log }, options.transcriptFile)
  transcript.write({
    kind: 'start',
    schema: 1,
    at: new Date(clock.nowMs()).toISOString(),
    run: options.board?.run ?? null,
    model: options.models[0] ?? '',
    tools: tools.map(({ name }) => name),
  })
  return transcript
}

/** Undefined where there is none: then there is nothing to be read there. */
function folderOf(path: string | undefined): string | undefined {
  try {
    return path === undefined ? undefined : realpathSync(path)
  } catch {
    return undefined
  }
}
