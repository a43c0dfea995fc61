import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { processesWith } from '../processes.ts'
import { type Product, startProduct } from '../product.ts'

/**
 * A batch that is run by the built product and killed on its way. Its tasks leave traces in `traces/`: `begin` as their
 * first act and `end` as their last, each with the number of the attempt, so that a repeat cannot hide.
 */
export interface BatchUnderFire {
  readonly home: string
  /** Starts `yardmaster run` on it, armed with a crash point (`name:hit`) where one is given. */
  start(crashAt?: string): Product
  /** Runs it to its end without a crash; answers the exit code. */
  finish(): Promise<number>
  /** Lines of each trace by key. */
  traces(): Readonly<Record<string, readonly string[]>>
  /** The kept report. */
  report(): Promise<BatchReport>
  close(): Promise<void>
}

interface BatchReport {
  readonly tasks: readonly { readonly key: string; readonly status: string; readonly runs: number }[]
}

/**
 * Tasks that take the batch past the rarer commit points: a timeout with both rungs of the ladder; a limit of an account;
 * a log over its limit.
 */
export type Rare = 'stubborn' | 'walled' | 'chatty'

export interface FireInput {
  /** Number of small tasks, and how long each takes. */
  readonly work: number
  readonly workMs: number
  readonly rare: readonly Rare[]
}

/** Lays out the batch in a folder of its own. */
export function layOut(input: FireInput): BatchUnderFire {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'yardmaster-fire-')))
  const home = join(folder, 'home')
  const file = join(folder, 'fire.yaml')
  mkdirSync(join(folder, 'traces'))
  writeFileSync(join(folder, 'yardmaster.yaml'), config)
  writeFileSync(file, batchFile(input))
  const env = { YARDMASTER_HOME: home, YARDMASTER_RETRY_WAIT: '50ms-200ms' }
  const args = ['--config', join(folder, 'yardmaster.yaml')]
  const lives: Product[] = []

  const start = (crashAt?: string): Product => {
    const armed = crashAt === undefined ? env : { ...env, YARDMASTER_CRASH_AT: crashAt }
    const life = startProduct(['run', file, '--orphans', 'adopt', ...args], armed)
    lives.push(life)
    return life
  }

  return {
    home,
    start,
    async finish() {
      const life = start()
      const code = await life.ended
      if (typeof code !== 'number') throw new Error(`the last life was killed by ${code}: ${life.stderr()}`)
      return code
    },
    traces() {
      const names = readdirSync(join(folder, 'traces'))
      return Object.fromEntries(
        names.map((name) => [
          name,
          readFileSync(join(folder, 'traces', name), 'utf8')
            .trim()
            .split('\n'),
        ]),
      )
    },
    async report() {
      const life = startProduct(['report', 'fire', '--json', ...args], { ...env, YARDMASTER_HOME: privateHome(home) })
      await life.ended
      return JSON.parse(life.stdout()) as BatchReport
    },
    async close() {
      for (const life of lives) life.process.kill('SIGKILL')
      await Promise.all(lives.map((life) => life.ended))
      for (const pid of workersOf(folder)) process.kill(pid, 'SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Workers of a batch below `folder`, and their children. */
export const workersOf = (folder: string): readonly number[] => processesWith(`YARDMASTER_RUN_DIR=${folder}`)

/** The store of `run` without a hub lies in a private home below the home. */
function privateHome(home: string): string {
  const [name] = readdirSync(join(home, 'run'))
  if (name === undefined) throw new Error(`no private home below ${home}/run`)
  return join(home, 'run', name)
}

const config = `
slots: 4
accounts: { paid: {} }
lanes:
  paid: { uses: command, account: paid }
`

const rareTasks: Readonly<Record<Rare, string>> = {
  stubborn: `
  stubborn:
    timeout: 1500ms
    run: |
      trap '' TERM
      echo "begin $YARDMASTER_RUN" >> traces/stubborn
      while :; do sleep 0.05; done
`,
  chatty: `
  chatty:
    log_limit: 256KiB
    run: |
      echo "begin $YARDMASTER_RUN" >> traces/chatty
      seq -f 'line %09g of output that nobody will ever read' 20000
      echo "end $YARDMASTER_RUN" >> traces/chatty
`,
  // The provider's own time is far enough away that a busy machine reads it before it has passed.
  walled: `
  walled:
    lane: paid
    run: |
      echo "begin $YARDMASTER_RUN" >> traces/walled
      if [ "$(wc -l < traces/walled)" -lt 2 ]; then
        printf '{"schema":1,"run":%s,"fence":%s,"status":"wall","reason":"rate_limit","message":"full","retryAt":"%s",' \\
          "\${YARDMASTER_RUN#R}" "$YARDMASTER_FENCE" "$(date -u -d '+3 seconds' +%FT%TZ)" > "$YARDMASTER_REPORT.new"
        printf '"needsHuman":null,"result":null,"data":null,"usage":null,"served":false,"turns":null}' >> "$YARDMASTER_REPORT.new"
        mv "$YARDMASTER_REPORT.new" "$YARDMASTER_REPORT"
        exit 75
      fi
      echo "end $YARDMASTER_RUN" >> traces/walled
`,
}

/** `rerun: auto` on purpose: a wrongly repeated attempt must leave a second trace, not a question. */
const batchFile = ({ work, workMs, rare }: FireInput): string => `
name: fire
key: fire
defaults: { rerun: auto, grace: 200ms, timeout: 1m, attempts: 1 }
tasks:
${rare.map((name) => rareTasks[name]).join('')}
  work:
    matrix: { n: [${Array.from({ length: work }, (_, i) => i).join(', ')}] }
    run: |
      echo "begin $YARDMASTER_RUN" >> "traces/work-$n"
      sleep ${workMs / 1_000}
      echo "end $YARDMASTER_RUN" >> "traces/work-$n"
  last:
    needs: work
    run: |
      echo "begin $YARDMASTER_RUN" >> traces/last
      echo "end $YARDMASTER_RUN" >> traces/last
`
