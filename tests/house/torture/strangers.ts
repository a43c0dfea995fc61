import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Yard } from './lay-out-yard.ts'
import { signalIfThere } from './signal-if-there.ts'
import type { World } from './world.ts'

/** What became of one stranger. */
export interface StrangerRecord {
  readonly name: string
  /** Signals it wrote down; `gone` when it ended before we ended it. */
  readonly heard: readonly string[]
}

interface Stranger {
  readonly name: string
  readonly child: ChildProcess
  isOurs: boolean
  hasEnded: boolean
}

/** Processes that belong to nobody here. Whatever signal reaches one is one too many. */
export class Strangers {
  readonly #yard: Yard
  readonly #world: World
  readonly #all: Stranger[] = []

  constructor({ yard, world }: { readonly yard: Yard; readonly world: World }) {
    this.#yard = yard
    this.#world = world
  }

  /** One that looks like a worker of the yard: same folder, same command, numbers of attempts, a marker of another yard. */
  async add(run: number): Promise<void> {
    await this.#start(`look-alike-${this.#all.length}`, (file) => ['/bin/sh', 'stranger.sh', file], {
      YARDMASTER_MARKER: `yard:R${run}:00000000`,
      YARDMASTER_RUN: `R${run}`,
      YARDMASTER_TASK: `T${run}`,
    })
  }

  /**
   * One that gets this number in the namespace of the round, as leader of a session of its own or not. Answers the number
   * that it really got, by its own word.
   */
  async sitOn(pid: number, place: 'leads' | 'follows'): Promise<number> {
    const start = place === 'leads' ? 'setsid /bin/sh' : '/bin/sh' // setsid of a fresh child forks no more
    const script = `exec 3<&0; echo ${pid - 1} > /proc/sys/kernel/ns_last_pid; ${start} stranger.sh "$1" <&3 & wait`
    const file = await this.#start(`on-${pid}-${this.#all.length}`, (to) => ['/bin/sh', '-c', script, 'sh', to], {})
    return Number(/^up (\d+)/.exec(readFileSync(file, 'utf8'))?.[1])
  }

  get count(): number {
    return this.#all.length
  }

  pids(): readonly number[] {
    return this.#all.flatMap(({ child }) => child.pid ?? [])
  }

  /** Those in the world end with it, and that is nobody's fault. */
  forgiveAll(): void {
    for (const stranger of this.#all) stranger.isOurs = true
  }

  /** Ends all of them and answers what they heard until then. */
  async close(): Promise<readonly StrangerRecord[]> {
    const records = this.#all.map(({ name, isOurs, hasEnded }) => ({
      name,
      heard: [...readHeard(join(this.#yard.strangers, name)), ...(hasEnded && !isOurs ? ['gone'] : [])],
    }))
    this.forgiveAll()
    await Promise.all(
      this.#all.map(async ({ child, hasEnded }) => {
        if (hasEnded) return
        const ended = once(child, 'exit')
        child.stdin?.end()
        if (child.pid !== undefined) signalIfThere(-child.pid, 'SIGKILL') // with what entered a namespace for it
        await ended
      }),
    )
    return records
  }

  async #start(
    name: string,
    argv: (file: string) => readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<string> {
    const file = join(this.#yard.strangers, name)
    const [program = '', ...rest] = this.#world.enter(argv(file))
    const child = spawn(program, rest, {
      cwd: this.#yard.folder,
      env: { PATH: process.env.PATH, ...env },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    })
    child.stdin?.on('error', () => {}) // it is gone, which is seen elsewhere
    const stranger: Stranger = { name, child, isOurs: false, hasEnded: false }
    child.once('exit', () => {
      stranger.hasEnded = true
    })
    this.#all.push(stranger)
    await isUp(file, stranger)
    return file
  }
}

async function isUp(file: string, stranger: Stranger): Promise<void> {
  while (!stranger.hasEnded && !readOr(file).startsWith('up')) await new Promise((resolve) => setTimeout(resolve, 2))
}

const readHeard = (file: string): readonly string[] =>
  readOr(file)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('up'))

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '' // it has not come to writing yet
  }
}
