import { resolve } from 'node:path'
import { ApiServer, type YardView } from '../../src/api/index.ts'
import { resolveSettings, type TaskSpec } from '../../src/board/index.ts'
import { parseRunPlan } from '../../src/dispatcher/index.ts'
import { createRedactor, systemClock, systemRandom } from '../../src/kernel/index.ts'
import { composeRunDirectory } from '../../src/runs/index.ts'
import { type RecordedCall, startRehearsalServer } from '../../src/worker/index.ts'
import type { Scenario } from '../../src/worker/rehearsal/scenario-schema.ts'
import { startYard, type Yard, type YardOptions } from './start-yard.ts'

/** The real API over the board of a yard, with all that attempts ask of it. `port`: 0 takes a free one. */
export async function openYardApi(
  { board, home }: Pick<Yard, 'board' | 'home'>,
  { port = 0 }: { readonly port?: number } = {},
): Promise<ApiServer> {
  const chat = { uses: 'chat', takesPrompts: true, ready: true, says: 'ready' } as const
  const yard: Partial<YardView> = {
    home,
    secretsOf: () => [],
    rightsOf: (run) => parseRunPlan(run.settings),
    folderOf: (run) => parseRunPlan(run.settings).folder,
    runDir: (run) => composeRunDirectory(home, run),
    lanes: () => ['chat', 'other'].map((name) => ({ name, ...chat })) as never,
    boardLane: () => null,
    resolveCard: ({ spec, defaults }: { spec: TaskSpec; defaults: null }) =>
      resolveSettings({ spec, defaults, board: null, lane: { uses: 'chat' }, builtInGraceMs: 300 }),
    refuseFolder: () => undefined,
    accounts: [],
  } as Partial<YardView>
  const deps = {
    board,
    yard: yard as YardView,
    mask: createRedactor([]),
    clock: systemClock,
    random: systemRandom,
    log: { error: console.error },
    knownSecrets: () => [],
  }
  const api = new ApiServer(deps, { token: systemRandom.hex(32), preferredPort: port })
  await api.start()
  return api
}

export interface ChatYard extends Yard {
  readonly api: ApiServer
  readonly calls: readonly RecordedCall[]
  /** For the next hub of the same home, after `leave`. */
  readonly options: YardOptions
}

/** A yard whose chat lane is the released worker, as the dispatcher starts it; the real API; a provider that plays `plays`. */
export async function startChatYard(
  plays: Scenario['plays'],
  options: YardOptions = {},
  onCall: (call: RecordedCall) => void = () => {},
): Promise<ChatYard> {
  const calls: RecordedCall[] = []
  const note = (call: RecordedCall) => {
    calls.push(call)
    onCall(call)
  }
  const scenario: Scenario = { model: 'small', key: 'sk-rehearsal-1', plays }
  const provider = await startRehearsalServer({ scenario, port: 0, onCall: note })
  let port = 0
  const all: YardOptions = {
    self: [process.execPath, resolve('dist/bin.cjs')],
    lanes: { chat: { uses: 'chat', account: 'openai', model: 'small' } },
    accounts: { openai: { baseUrl: provider.baseUrl, key: { env: 'THE_KEY' }, slots: null } },
    env: { THE_KEY: 'sk-rehearsal-1' },
    address: () => `http://127.0.0.1:${port}`,
    ...options,
  }
  const yard = await startYard(all)
  const api = await openYardApi(yard)
  port = api.port
  return {
    ...yard,
    api,
    calls,
    options: all,
    async [Symbol.asyncDispose]() {
      await yard[Symbol.asyncDispose]()
      await api.stop()
      await provider.stop()
    },
  }
}
