import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Yard } from './lay-out-yard.ts'
import { countOne, type Ledger } from './ledger.ts'
import type { RoundPlan } from './plan-round.ts'
import { uptimeSeconds } from './scan-processes.ts'
import { signalIfThere } from './signal-if-there.ts'
import type { World } from './world.ts'

/** One life of a hub. */
export interface Life {
  readonly child: ChildProcess
  /** Exit code, or the name of the signal. */
  readonly ended: Promise<number | string>
  readonly said: () => string
}

export interface LivesDeps {
  readonly plan: RoundPlan
  readonly yard: Yard
  readonly world: World
  readonly ledger: Ledger
  /** The built product: `node bin.cjs`. */
  readonly product: readonly string[]
}

/** Starts a program of the product in the world of the round. */
export function startLife(
  { yard, world, product }: LivesDeps,
  args: readonly string[],
  arm: string | null = null,
): Life {
  const [program = '', ...rest] = world.enter([...product, ...args])
  const env = { ...yard.env, ...(arm === null ? {} : { YARDMASTER_CRASH_AT: arm }) }
  const child = spawn(program, rest, { cwd: yard.folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said = (said + text).slice(-20_000)
    })
  }
  const ended = once(child, 'exit').then(([code, signal]) => (signal ?? code) as number | string)
  return { child, ended, said: () => said }
}

/** Keeps a hub up: whenever one ends, however it does, the next is started. Held back while a fault wants none. */
export class HubLives {
  readonly #deps: LivesDeps
  #arms: (string | null)[]
  #current: Life | undefined
  #mayStart = Promise.resolve()
  #release: () => void = () => {}
  #isOver = false
  #killed = new Set<ChildProcess>()
  #keeping: Promise<void> | undefined
  /** What the hub said that ended by itself last, with how it ended: for whoever looks for a reason. */
  lastWords = ''
  /** The verdict of `run`, where the hub is one: its exit code. */
  verdict: number | undefined

  constructor(deps: LivesDeps) {
    this.#deps = deps
    this.#arms = [...deps.plan.arms]
  }

  /** Whatever was planned for later starts: this for the next one, and then nothing. */
  rearm(arm: string | null): void {
    this.#arms = [arm]
  }

  start(): void {
    this.#keeping ??= this.#keep()
  }

  /** The running hub by its number out here. */
  pid(): number | undefined {
    const child = this.#current?.child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return undefined
    return this.#deps.world.findEntered(child)
  }

  hasSaid(text: string): boolean {
    return this.#current?.said().includes(text) === true
  }

  /** Resolves when the hub serves, or after a while without one. */
  async serves(withinMs: number): Promise<void> {
    for (let waitedMs = 0; waitedMs < withinMs && !this.hasSaid(servesSays); waitedMs += lookEveryMs)
      await wait(lookEveryMs)
  }

  /** Nothing is started from now on; what runs goes on. Call what it answers to go on. */
  hold(): () => void {
    this.#mayStart = new Promise((resolve) => {
      this.#release = resolve
    })
    return () => this.#release()
  }

  /** What entered a namespace for it stops together with it, and goes on only when it is told as well. */
  signal(signal: NodeJS.Signals): void {
    const child = this.#current?.child
    const pid = this.pid()
    if (pid === undefined || child === undefined) return
    if (signal === 'SIGKILL') this.#killed.add(child)
    signalIfThere(pid, signal)
    if (child.pid !== pid && signal !== 'SIGSTOP') child.kill('SIGCONT')
  }

  /** Kills the running hub and sees it gone. One that is only about to begin in its namespace has no number yet. */
  async kill(): Promise<void> {
    const life = this.#current
    while (life !== undefined && this.#current === life) {
      this.signal('SIGKILL')
      await Promise.race([life.ended, wait(lookEveryMs)])
    }
  }

  /** The end of the running hub, whenever it comes. */
  async gone(): Promise<void> {
    await this.#current?.ended
  }

  /** No more of them; resolves with how the last one ended. */
  async stop(): Promise<number | string | undefined> {
    this.#isOver = true
    this.#release()
    const life = this.#current
    while (this.#current === life && life !== undefined && this.pid() === undefined) await wait(lookEveryMs)
    this.signal('SIGTERM')
    const ended = await life?.ended
    await this.#keeping
    return ended
  }

  /** However things stand: no hub is left. */
  async destroy(): Promise<void> {
    this.#isOver = true
    this.#release()
    await this.kill()
    await this.#keeping
  }

  async #keep(): Promise<void> {
    const { ledger, plan, yard } = this.#deps
    const orphans = plan.world === 'run_orphans_die' ? 'die' : 'adopt'
    const args = isRun(plan) ? ['run', yard.batchFile, '--orphans', orphans] : ['up']
    while (!this.#isOver) {
      await this.#mayStart
      if (this.#isOver) return
      const arm = this.#arms.shift() ?? null
      const life = startLife(this.#deps, args, arm)
      this.#current = life
      const ended = await life.ended
      this.#current = undefined
      ledger.hubDeathsS.push(uptimeSeconds())
      if (plan.world === 'pid_1' || plan.world === 'run_orphans_die') ledger.worldEndsS.push(uptimeSeconds())
      if (ended === 'SIGKILL' && !this.#killed.has(life.child) && arm !== null) this.#countCrash(arm)
      else if (typeof ended === 'number' && isRun(plan) && verdicts.includes(ended)) {
        this.verdict = ended
        return
      } else if (ended !== 'SIGKILL' && !this.#isOver) {
        countOne(ledger.hubExits, String(ended))
        this.lastWords = `${ended}: ${life.said()}`
        if (typeof ended === 'number' && ended !== 0) await wait(100) // what is wrong may still be
      }
    }
  }

  #countCrash(arm: string): void {
    const { ledger } = this.#deps
    countOne(ledger.faults, 'crash_point')
    countOne(ledger.crashPoints, arm.split(':')[0] ?? arm)
  }
}

/** What `up` says once it serves. */
export const servesSays = 'Hub up'
const lookEveryMs = 20

export const isRun = ({ world }: Pick<RoundPlan, 'world'>): boolean => world === 'run' || world === 'run_orphans_die'

/** Exit codes of `run` that are a verdict about its batch (files-and-cli section 3). */
const verdicts: readonly number[] = [0, 3, 5]
