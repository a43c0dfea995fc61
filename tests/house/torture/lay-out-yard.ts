import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PlannedTask, RoundPlan } from './plan-round.ts'
import { strangerScript } from './stranger-script.ts'
import { type TaskKind, taskKinds } from './task-kinds.ts'
import { workerScript } from './worker-script.ts'

/** Where things of one round lie. Absolute paths. */
export interface Yard {
  readonly folder: string
  /** The mount point of the small file system, where there is one. */
  readonly disk: string
  readonly home: string
  readonly batchFile: string
  readonly traces: string
  /** The temporary folder of its hubs and workers: empty at the end. */
  readonly temporary: string
  /** What the wall clock is off by. */
  readonly clock: string
  /** What strangers heard, a file each. */
  readonly strangers: string
  /** Environment of everything of the product that is started here. */
  readonly env: Readonly<Record<string, string>>
  remove(): void
}

/** Makes the folder of a round with its batch file, its scripts and its configuration. */
export function layOutYard(plan: RoundPlan): Yard {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'yardmaster-torture-')))
  const at = (name: string) => join(folder, name)
  for (const name of ['traces', 'tmp', 'strangers', 'disk']) mkdirSync(at(name))
  writeFileSync(at('worker.sh'), workerScript)
  writeFileSync(at('stranger.sh'), strangerScript)
  writeFileSync(at('yardmaster.yaml'), JSON.stringify(buildConfig(plan), null, 1))
  writeFileSync(at('torture.yaml'), JSON.stringify(buildBatchFile(plan, folder), null, 1))
  writeFileSync(at('clock'), '0')
  return {
    folder,
    disk: at('disk'),
    home: join(at('disk'), 'home'),
    batchFile: at('torture.yaml'),
    traces: at('traces'),
    temporary: at('tmp'),
    clock: at('clock'),
    strangers: at('strangers'),
    env: {
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      HOME: folder,
      TMPDIR: at('tmp'),
      YARDMASTER_HOME: join(at('disk'), 'home'),
      YARDMASTER_CONFIG: at('yardmaster.yaml'),
      YARDMASTER_RETRY_WAIT: '50ms-200ms',
      YARDMASTER_CLOCK_OFFSET_FILE: at('clock'),
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/** Enough room is asked for that a full disk is noticed; elsewhere as little as there is everywhere. */
function buildConfig({ slots, world }: RoundPlan) {
  return {
    slots,
    disk_free: world === 'small_disk' ? '8MiB' : '1MiB',
    accounts: { paid: {} },
    lanes: { paid: { uses: 'command', account: 'paid' } },
  }
}

/** `rerun: auto` on purpose: a wrongly repeated attempt must leave a second trace, not a question. */
function buildBatchFile({ groups }: RoundPlan, folder: string) {
  const rows = new Map<string, PlannedTask[]>()
  for (const task of groups.flat()) rows.set(task.row, [...(rows.get(task.row) ?? []), task])
  return {
    name: 'torture',
    key: 'torture',
    defaults: { rerun: 'auto', grace: '200ms', timeout: '1m', env: { TORTURE_YARD: folder } },
    tasks: Object.fromEntries([...rows].map(([row, tasks]) => [row, buildRow(tasks, groups)])),
  }
}

function buildRow(tasks: readonly PlannedTask[], groups: RoundPlan['groups']) {
  const [{ row, kind, code, after }] = tasks as [PlannedTask]
  const before = after === null ? [] : [...new Set(groups[after]?.map((task) => task.row))]
  return {
    ...(taskKinds[kind] as TaskKind).fields,
    ...(before.length === 0 ? {} : { needs: before.map((task) => ({ task, when: 'always' })) }),
    matrix: { n: tasks.map(({ n }) => n) },
    run: ['/bin/sh', 'worker.sh', kind, `traces/${row}.\${{ matrix.n }}`, String(code)],
  }
}
