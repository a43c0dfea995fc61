import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Yard } from './lay-out-yard.ts'
import type { RoundPlan } from './plan-round.ts'
import { childrenOf, isAlive, readStat } from './scan-processes.ts'
import { signalIfThere } from './signal-if-there.ts'

/** In which processes of a round live: the machine itself, or a pid namespace that is ours to end. */
export interface World {
  readonly kind: RoundPlan['world']
  /** A command line that starts `argv` in here. */
  enter(argv: readonly string[]): readonly string[]
  /** The process that `argv` became, by its number out here; undefined when it has ended. */
  findEntered(child: ChildProcess): number | undefined
  /** A command line that starts `argv` as PID 1 of a pid namespace of its own in here, which has the same boot. */
  enterApart(argv: readonly string[]): readonly string[]
  /** As `findEntered`, of `enterApart`. */
  findApart(child: ChildProcess): number | undefined
  /** Ends all that is in it, and begins again: as a reboot where `boot` is another one. Only in a namespace. */
  reboot(boot: string | null): Promise<void>
  close(): Promise<void>
}

/** Opens the world of a round. A small disk is mounted in each that asks for it. */
export async function openWorld(plan: RoundPlan, yard: Yard): Promise<World> {
  if (plan.world === 'small_disk') mountSmallDisk(yard)
  switch (plan.world) {
    case 'namespace':
      return openNamespace(plan, yard)
    case 'pid_1':
      return {
        ...openPlain(plan, yard),
        enter: (argv) => [...unshare, ...argv],
        findEntered: ({ pid }) => onlyChild(pid),
      }
    default:
      return openPlain(plan, yard)
  }
}

/** The size of the small disk: enough for a round, and filled in a moment. */
const smallDisk = '64m'

function mountSmallDisk({ disk }: Yard): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${smallDisk}`, 'tmpfs', disk])
}

function openPlain({ world }: RoundPlan, { disk }: Yard): World {
  return {
    kind: world,
    enter: (argv) => argv,
    findEntered: ({ pid }) => pid,
    enterApart: (argv) => [...unshare, ...argv],
    findApart: ({ pid }) => onlyChild(pid),
    reboot: () => Promise.reject(new Error('only a namespace can be booted anew')),
    async close() {
      if (world === 'small_disk') execFileSync('umount', ['--lazy', disk])
    },
  }
}

const unshare = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child=KILL'] as const

async function openNamespace({ world, init }: RoundPlan, { folder }: Yard): Promise<World> {
  const bootFile = join(folder, 'boot-id')
  let first: { readonly outer: ChildProcess; readonly pid: number } | undefined

  const nameBoot = (boot: string | null) =>
    boot === null ? ':' : `mount --bind ${bootFile} /proc/sys/kernel/random/boot_id`
  const begin = async (boot: string | null): Promise<void> => {
    if (boot !== null) writeFileSync(bootFile, `${boot}\n`)
    const rest = init === 'collects' ? 'echo up; while :; do sleep 3600; done' : 'echo up; exec sleep 1000000'
    const outer = spawn('setsid', [...unshare, 'sh', '-c', `${nameBoot(boot)} && ${rest}`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await once(outer.stdout, 'data')
    const pid = onlyChild(outer.pid)
    if (pid === undefined) throw new Error('the namespace ended at its beginning')
    first = { outer, pid }
  }
  const end = async (): Promise<void> => {
    if (first === undefined) return
    const { outer, pid } = first
    first = undefined
    const gone = once(outer, 'exit')
    const stat = readStat(pid)
    signalIfThere(pid, 'SIGKILL')
    await gone
    if (stat !== undefined && isAlive(stat)) throw new Error(`the namespace of ${pid} did not end`)
  }
  const enter: World['enter'] = (argv) => [
    'nsenter',
    ...['-t', String(first?.pid), '-p', '-m', `--wd=${folder}`, '--'],
    ...argv,
  ]
  let lastBoot: string | null = null
  await begin(null)
  return {
    kind: world,
    enter,
    findEntered: ({ pid }) => onlyChild(pid),
    // It has a /proc of its own, in which the boot has its real name again.
    enterApart: (argv) => enter([...unshare, 'sh', '-c', `${nameBoot(lastBoot)} && exec "$@"`, 'sh', ...argv]),
    findApart: ({ pid }) => onlyChild(onlyChild(pid)),
    async reboot(boot) {
      lastBoot = boot ?? lastBoot
      await end()
      await begin(lastBoot)
    },
    close: end,
  }
}

function onlyChild(pid: number | undefined): number | undefined {
  return pid === undefined ? undefined : childrenOf(pid)[0]
}
