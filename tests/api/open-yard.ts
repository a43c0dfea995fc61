import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, connectHttp } from '../../src/api/client/index.ts'
import { ApiServer, type DispatcherView, type LaneFacts, type YardView } from '../../src/api/index.ts'
import {
  type Actor,
  type Board,
  openBoard,
  resolveSettings,
  type TaskSettings,
  type TaskSpec,
} from '../../src/board/index.ts'
import { createRedactor, type RunId, systemClock, systemRandom } from '../../src/kernel/index.ts'
import { composeRunDirectory } from '../../src/runs/index.ts'

export const secret = 'correct-horse-battery-staple-4711'
/** What only the worker of a run was given. */
export const ownSecret = 'open-sesame-0815'

export interface ApiYard extends AsyncDisposable {
  readonly home: string
  readonly port: number
  readonly token: string
  readonly board: Board
  readonly api: ApiServer
  readonly client: Client
  /** A request as any program would send it, with the token unless `headers` says otherwise. */
  ask(path: string, init?: { method?: string; headers?: Record<string, string>; body?: unknown }): Promise<Response>
  /** What `down` was asked for. */
  readonly downs: ('drain' | 'now' | 'replace')[]
  /** Readers of the board's events that are open now. */
  listeners(): number
  /** Surprises that were logged. */
  readonly surprises: Record<string, unknown>[]
}

export interface ApiYardOptions {
  /** none: as in `openStore`. */
  readonly dispatcher?: 'up' | 'none'
  /** The token that the API is given; the client keeps the proper one. */
  readonly serveWith?: 'token' | 'no token'
  readonly preferredPort?: number
  /** What the dispatcher answers to `release`. */
  readonly release?: (run: RunId, actor: Actor, board: Board) => ReturnType<DispatcherView['release']>
  readonly yard?: Partial<YardView>
}

const lanes: readonly LaneFacts[] = [
  { name: 'command', uses: 'command', takesPrompts: false, ready: true, says: 'ready' },
  { name: 'chat', uses: 'chat', takesPrompts: true, ready: false, says: 'no model' },
  { name: 'tests', uses: 'command', takesPrompts: false, ready: true, says: 'ready' },
  { name: 'claude', uses: 'command', takesPrompts: true, ready: true, says: 'ready' },
]

const resolveCard = ({ spec, defaults }: { spec: TaskSpec; defaults: TaskSettings | null }) =>
  resolveSettings({
    spec,
    defaults,
    board: null,
    lane: { uses: spec.prompt === undefined ? 'command' : 'chat' },
    builtInGraceMs: 10_000,
  })

/** A board on disk behind the real API on loopback; what the dispatcher would answer is fixed. */
export async function openApiYard(options: ApiYardOptions = {}): Promise<ApiYard> {
  const home = mkdtempSync(join(tmpdir(), 'yard-api-'))
  const opened = openBoard({ path: join(home, 'yard.db'), clock: systemClock, random: systemRandom })
  let listeners = 0
  const board: Board = {
    ...opened,
    onEvents(signal, heard) {
      listeners += 1
      signal.addEventListener('abort', () => {
        listeners -= 1
      })
      opened.onEvents(signal, heard)
    },
  }
  const noLimit = { account: null, slots: null }
  board.applyLimits({
    slots: 4,
    lanes: { command: noLimit, chat: { account: 'openai', slots: null }, tests: noLimit, claude: noLimit },
    accounts: { openai: { slots: null } },
  })
  const downs: ('drain' | 'now' | 'replace')[] = []
  const dispatcher: DispatcherView = {
    isLeaving: () => downs.length > 0,
    sampleOf: () => undefined,
    isHeld: () => options.release !== undefined,
    release: (run, actor) => options.release?.(run, actor, board) ?? 'ending',
    down: (mode) => downs.push(mode),
  }
  const yard: YardView = {
    version: '1.2.3',
    pid: 42,
    home,
    config: null,
    slots: 4,
    disk: () => ({ freeBytes: 50e9, neededBytes: 1e9 }),
    accounts: ['openai'],
    lanes: () => lanes,
    boardLane: (name) => (name === 'shop' ? 'claude' : null),
    boardOf: (dir) => (dir === '/code/shop' ? 'shop' : null),
    resolveCard,
    settingsOf(task) {
      const spec = board.readSpec(task.id)
      const defaults = task.batch === null ? null : (board.readBatch(task.batch)?.defaults ?? null)
      return spec === undefined ? undefined : resolveCard({ spec, defaults })
    },
    refuseFolder: () => undefined,
    secretsOf: () => [ownSecret],
    rightsOf: () => ({ grants: [], agentsMayStart: false }),
    folderOf: () => join(home, 'work'),
    runDir: (run) => composeRunDirectory(home, run),
    originalOf: () => undefined,
    clean: async () => [],
    dispatcher: options.dispatcher === 'none' ? undefined : dispatcher,
    hub: { instance: 'i1', host: 'build-1', startedBy: 'person', notes: () => [] },
    ...options.yard,
  }
  const token = systemRandom.hex(32)
  const surprises: Record<string, unknown>[] = []
  const log = {
    error: (event: string, data: Readonly<Record<string, unknown>>) => void surprises.push({ event, ...data }),
  }
  const mask = createRedactor([secret])
  const deps = { board, yard, mask, knownSecrets: () => [secret], clock: systemClock, random: systemRandom, log }
  const api = new ApiServer(deps, {
    token: options.serveWith === 'no token' ? undefined : token,
    preferredPort: options.preferredPort ?? 0,
  })
  await api.start()
  const { port } = api
  return {
    home,
    port,
    token,
    board,
    api,
    client: connectHttp({ port, token, by: 'Zoë' }),
    ask: (path, { method = 'GET', headers, body } = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    downs,
    listeners: () => listeners,
    surprises,
    async [Symbol.asyncDispose]() {
      await api.stop()
      board.close()
      rmSync(home, { recursive: true })
    },
  }
}

/** Claims the next task, as a dispatcher would, and writes `log` as what its process said. */
export function startRun({ board, home }: Pick<ApiYard, 'board' | 'home'>) {
  const [claim] = board.claim({ max: 1, prepare: () => ({ ok: true, settings: '{}' }) })
  if (claim === undefined) throw new Error('nothing to claim')
  const dir = composeRunDirectory(home, claim.run.id)
  mkdirSync(dir, { recursive: true })
  const identity = { pid: 4_000_000, fingerprint: 'unverified', startedMonotonic: 'boot 1' }
  board.recordStarted([{ run: claim.run.id, fence: claim.run.fence, ...identity }])
  return { ...claim, dir, log: join(dir, 'output.log') }
}

/** Ends a run as done, its tree gone. */
export function endRun(
  { board }: Pick<ApiYard, 'board'>,
  { run }: Pick<ReturnType<typeof startRun>, 'run'>,
  tail = '',
): void {
  const nothing = { signal: null, result: null, data: null, usage: null, stopDelivered: false }
  const exited = { exitCode: 0, outcome: 'done', reason: 'exit 0', outputTail: tail, ...nothing } as const
  board.recordExited([{ run: run.id, fence: run.fence, ...exited }])
  board.recordSettled([{ run: run.id, fence: run.fence, move: { to: 'done' }, failures: 0 }])
}
