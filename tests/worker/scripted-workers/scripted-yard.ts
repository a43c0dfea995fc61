import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Run, Task } from '../../../src/board/index.ts'
import { emptyConfig } from '../../../src/kernel/config/index.ts'
import type { TaskId } from '../../../src/kernel/index.ts'
import type { RecordedCall } from '../../../src/worker/index.ts'
import type { Yard } from '../../dispatcher/start-yard.ts'
import { startChatYard } from '../../dispatcher/yard-api.ts'
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
    readonly onCall?: (call: RecordedCall, cards: readonly Card[]) => void
  },
): Promise<ScriptedYard> {
  const cards: Card[] = []
  const yard = await startChatYard(
    input.tasks.flatMap((task) => worker.plays(task)),
    { lanes: { chat: { uses: 'chat', account: 'openai', model: 'small', ...impatient() } } },
    (call) => input.onCall?.(call, cards),
  )
  for (const task of input.tasks) cards.push(addCard(yard, task))
  return { yard, cards, calls: yard.calls, [Symbol.asyncDispose]: () => yard[Symbol.asyncDispose]() }
}

function addCard(yard: Yard, task: CodingTask): Card {
  const dir = join(yard.folder, task.name)
  mkdirSync(dir, { recursive: true })
  layOut(task, dir)
  const prompt = `Card ${cardOf(task)}: ${task.asks} It stands in ${task.file}.`
  const check = { run: task.check.run }
  const spec = { title: task.name, prompt, dir, workspace: { kind: 'here' }, attempts: 2, check } as const
  const id = yard.add(spec, { lane: 'chat' })
  return { task, id, now: () => yard.task(id), runs: () => yard.runs(id) }
}

/** A stalled stream is given up soon. */
function impatient() {
  const { chat } = emptyConfig(1).lanes.chat ?? {}
  return chat === undefined ? {} : { chat: { ...chat, timeouts: { ...chat.timeouts, idleMs: 1_500 } } }
}
