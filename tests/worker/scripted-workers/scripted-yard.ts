import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ApiServer } from '../../../src/api/index.ts'
import type { Run, Task } from '../../../src/board/index.ts'
import { emptyConfig } from '../../../src/kernel/config/index.ts'
import { createRedactor, systemClock, systemRandom, type TaskId } from '../../../src/kernel/index.ts'
import { composeRunDirectory } from '../../../src/runs/index.ts'
import { type RecordedCall, startRehearsalServer } from '../../../src/worker/index.ts'
import { startYard, type Yard } from '../../dispatcher/start-yard.ts'
import { type CodingTask, layOut } from '../coding-tasks/coding-task.ts'
import { cardOf, type ScriptedWorker } from './scripted-worker.ts'

/** One card with what it came to. */
export interface Card {
  readonly task: CodingTask
  readonly id: TaskId
  readonly now: () => Task
  readonly runs: () => readonly Run[]
}

export interface ScriptedYard extends AsyncDisposable {
  readonly yard: Yard
  readonly cards: readonly Card[]
  /** Calls of the provider so far. */
  readonly calls: readonly RecordedCall[]
}

/**
 * One card for each coding task, worked on by one scripted worker: the real dispatcher, its real spawn command and the released
 * worker, the real API, and a provider on loopback. Everything is gone at the end.
 */
export async function startScriptedYard(
  worker: ScriptedWorker,
  input: {
    readonly tasks: readonly CodingTask[]
    readonly slots?: number
    readonly onCall?: (call: RecordedCall, scripted: () => ScriptedYard) => void
  },
): Promise<ScriptedYard> {
  const calls: RecordedCall[] = []
  let scripted: ScriptedYard | undefined
  const provider = await startRehearsalServer({
    scenario: { model: 'small', key: 'sk-rehearsal-1', plays: input.tasks.flatMap((task) => worker.plays(task)) },
    port: 0,
    onCall(call) {
      calls.push(call)
      if (scripted !== undefined) input.onCall?.(call, () => scripted as ScriptedYard)
    },
  })
  let port = 0
  const yard = await startYard({
    slots: input.slots ?? 4,
    self: [process.execPath, resolve('dist/bin.cjs')],
    lanes: { chat: { uses: 'chat', account: 'openai', model: 'small', ...quick } },
    accounts: { openai: { baseUrl: provider.baseUrl, key: { env: 'THE_KEY' }, slots: null } },
    env: { THE_KEY: 'sk-rehearsal-1' },
    address: () => `http://127.0.0.1:${port}`,
  })
  const api = await openApi(yard)
  port = api.port
  const cards = input.tasks.map((task): Card => {
    const dir = join(yard.folder, task.name)
    mkdirSync(dir, { recursive: true })
    layOut(task, dir)
    const workspace = { kind: 'here' } as const
    const prompt = `Card ${cardOf(task)}: ${task.asks} It stands in ${task.file}.`
    const id = yard.add(
      { title: task.name, prompt, dir, workspace, attempts: 2, check: { run: task.check.run } },
      { lane: 'chat' },
    )
    return { task, id, now: () => yard.task(id), runs: () => yard.runs(id) }
  })
  scripted = {
    yard,
    cards,
    calls,
    async [Symbol.asyncDispose]() {
      await yard[Symbol.asyncDispose]()
      await api.stop()
      await provider.stop()
    },
  }
  return scripted
}

/** A stalled stream is given up soon. */
const { chat: built } = emptyConfig(1).lanes.chat ?? {}
const quick = built === undefined ? {} : { chat: { ...built, timeouts: { ...built.timeouts, idleMs: 400 } } }

async function openApi({ board, home }: Yard): Promise<ApiServer> {
  const yard = {
    home,
    secretsOf: () => [],
    runDir: (run: never) => composeRunDirectory(home, run),
    lanes: () => [],
    accounts: [],
  }
  const deps = {
    board,
    yard: yard as never,
    mask: createRedactor([]),
    clock: systemClock,
    random: systemRandom,
    log: { error() {} },
    knownSecrets: () => [],
  }
  const api = new ApiServer(deps, { token: systemRandom.hex(32), preferredPort: 0 })
  await api.start()
  return api
}
