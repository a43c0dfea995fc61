import { setTimeout as wait } from 'node:timers/promises'
import { createSupervisor, type RunRecord } from '../../../../src/dispatcher/supervisor/index.ts'
import { runId, systemClock } from '../../../../src/kernel/index.ts'
import { type Fingerprint, loadLibc, readHostIdentity, sendSignal } from '../../../../src/kernel/process/index.ts'

/** A process on record, whose number somebody else has by now. */
export interface OldRecord {
  readonly fingerprint: Fingerprint
  /** The same, as it is stored. */
  readonly text: string
}

/** How long the supervisor may take to be done with a batch; a look at all processes takes some milliseconds. */
const longestMs = 5_000

/**
 * Does to old records whatever the product would do to live ones: signals to process and group, adoption with a stop
 * under way, the stop itself, the sweep. Answers what came of each, by kind.
 */
export async function workOnOldRecords(
  records: readonly OldRecord[],
  { folder, libc: way }: { readonly folder: string; readonly libc: 'use' | 'avoid' },
): Promise<readonly string[]> {
  const libc = way === 'use' ? await loadLibc() : undefined
  const signals = { host: readHostIdentity(), libc }
  const sent = records.flatMap(({ fingerprint }) =>
    (['process', 'group'] as const).map((scope) => {
      const order = { target: { fingerprint, pidfd: undefined }, scope, signal: 'SIGTERM' } as const
      return `signal to ${scope}: ${sendSignal(signals, { ...order, source: 'sweep', reason: 'torture' }).answer}`
    }),
  )
  return [...sent, ...(await adoptAll(records, { folder, way }))]
}

async function adoptAll(
  records: readonly OldRecord[],
  { folder, way }: { readonly folder: string; readonly way: 'use' | 'avoid' },
): Promise<readonly string[]> {
  let over = 0
  const supervisor = createSupervisor({
    clock: systemClock,
    sampleEveryMs: 1_000,
    libc: way,
    events: {
      exited: () => {},
      swept: () => {
        over += 1
      },
      survivors: () => {
        over += 1
      },
      overdue: () => {},
      climbing: () => {},
      rung: () => {},
    },
  })
  await supervisor.start()
  try {
    const adopted = records.map(({ text, fingerprint }, at) => {
      const answer = supervisor.adopt(recordOf({ folder, text, pid: fingerprint.pid, at }))
      supervisor.end(runId(at + 1), { source: 'person', reason: 'torture', atOnce: true })
      return answer
    })
    const gone = adopted.filter((answer) => answer === 'gone').length
    for (let waitedMs = 0; over < gone && waitedMs < longestMs; waitedMs += 5) await wait(5)
    return adopted.map((answer) => `adopted: ${answer}`)
  } finally {
    await supervisor.stop()
  }
}

function recordOf(input: {
  readonly folder: string
  readonly text: string
  readonly pid: number
  readonly at: number
}): RunRecord {
  const { folder, text, pid, at } = input
  return {
    run: runId(at + 1),
    fence: 1,
    runDir: `${folder}/R${at + 1}`,
    marker: `yard:R${at + 1}:00000000`,
    phase: 'started',
    pid,
    fingerprint: text,
    startedMonotonic: null,
    limits: {
      timeoutMs: 60_000,
      stallMs: 'off',
      graceMs: 10,
      keeps: false,
      memoryBytes: null,
      logBytes: null,
      logBy: 'worker',
    },
    stopping: { source: 'person', reason: 'torture', rung: 'TERM', reached: false },
  }
}
