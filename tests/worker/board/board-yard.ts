import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Clock,
  createRedactor,
  createValueMask,
  type Grant,
  runId,
  systemClock,
} from '../../../src/kernel/index.ts'
import {
  type BoardConnection,
  type BoardInput,
  connectBoard,
  createBoardTools,
} from '../../../src/worker/board/open-board.ts'
import { runTool } from '../../../src/worker/tools/run-tool.ts'
import type { Tool } from '../../../src/worker/tools/tool.ts'
import { type ApiYard, type ApiYardOptions, openApiYard, startRun } from '../../api/open-yard.ts'

/** What a worker itself was given. */
export const workersSecret = 'the-key-of-the-provider-1'

/** A real API with a card that runs, and a worker's line to it. */
export interface BoardYard extends AsyncDisposable {
  readonly yard: ApiYard
  readonly started: ReturnType<typeof startRun>
  readonly board: BoardConnection
  readonly tools: readonly Tool[]
  readonly workspace: string
  readonly hubFile: string
  readonly handedBack: string[]
  readonly logged: string[]
  /** Runs one call of a model. */
  use(name: string, args: object): ReturnType<typeof runTool>
}

export interface BoardYardOptions {
  readonly grants?: readonly Grant[]
  readonly api?: ApiYardOptions
  readonly input?: Partial<BoardInput>
  readonly clock?: Clock
}

export async function openBoardYard({
  grants = [],
  api = {},
  input = {},
  clock = systemClock,
}: BoardYardOptions = {}): Promise<BoardYard> {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'yard-board-tools-')))
  const rightsOf = () => ({ grants, agentsMayStart: false })
  const yard = await openApiYard({ ...api, yard: { folderOf: () => workspace, rightsOf, ...api.yard } })
  await yard.client.createTask({ prompt: 'Fix the login.', title: 'login', dir: '/shop' })
  const started = startRun(yard)
  const hubFile = join(started.dir, 'hub')
  writeFileSync(hubFile, `http://127.0.0.1:${yard.port}\n`)
  const logged: string[] = []
  const masks = { redact: createRedactor([workersSecret]), maskKnown: createValueMask([workersSecret]) }
  const stopped = new AbortController()
  const board = connectBoard(
    { clock, log: (line) => void logged.push(line), ...masks },
    {
      token: started.token,
      run: runId(started.run.id),
      task: `T${started.run.task}`,
      hubFile,
      timeLeftMs: () => Number.POSITIVE_INFINITY,
      vetoAfterMs: 60_000,
      signal: stopped.signal,
      ...input,
    },
  )
  const handedBack: string[] = []
  const tools = createBoardTools({ board, grants, workspace, handedBack, ...masks })
  const order = { signal: new AbortController().signal, attention: new AbortController().signal }
  return {
    yard,
    started,
    board,
    tools,
    workspace,
    hubFile,
    handedBack,
    logged,
    use: (name, args) => runTool(tools, { id: 'call_1', name, argumentsText: JSON.stringify(args) }, order),
    async [Symbol.asyncDispose]() {
      board.close()
      stopped.abort()
      await yard[Symbol.asyncDispose]()
      rmSync(workspace, { recursive: true, force: true })
    },
  }
}
