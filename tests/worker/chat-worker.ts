import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, watch } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type RunId, runId } from '../../src/kernel/index.ts'
import { type ReadReport, type RunReport, readReport } from '../../src/runs/index.ts'
import { parseScenario, type RecordedCall, startRehearsalServer } from '../../src/worker/index.ts'

/** The key that every worker of these tests gets; it must turn up nowhere. */
export const apiKey = 'rehearsal-key-Zx81/+canary'

const bin = resolve('dist/bin.cjs')

/** These tests start the worker as it is released; one that is older than its sources would prove nothing. */
export function requireFreshBuild(): void {
  const sources = readdirSync('src/worker', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => statSync(join('src/worker', path)).mtimeMs)
  const built = statSync('dist/worker.cjs', { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (built < Math.max(...sources)) throw new Error('dist/worker.cjs is older than its sources; run: npm run build')
}

/** What an ended worker left. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export class Worker {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  #stdout = ''
  #stderr = ''

  constructor(args: readonly string[], how: { cwd: string; env?: Record<string, string>; stdin?: 'pipe' | 'ignore' }) {
    this.child = spawn(process.execPath, [bin, 'chat', ...args], {
      cwd: how.cwd,
      env: { PATH: process.env.PATH, HOME: how.cwd, YARDMASTER_API_KEY: apiKey, ...how.env },
      stdio: [how.stdin ?? 'ignore', 'pipe', 'pipe'],
    })
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#stdout += text))
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text))
    this.ended = once(this.child, 'close').then(([code, signal]) => ({
      code,
      signal,
      stdout: this.#stdout,
      stderr: this.#stderr,
    }))
  }

  /** Resolves as soon as the log holds `text`. */
  async logged(text: string): Promise<void> {
    while (!this.#stderr.includes(text)) {
      const more = await Promise.race([once(this.child.stderr as NodeJS.ReadableStream, 'data'), this.ended])
      if (!Array.isArray(more) && !this.#stderr.includes(text))
        throw new Error(`ended without "${text}":\n${this.#stderr}`)
    }
  }
}

/** A folder, a provider that plays `script`, and workers of a board in it. Everything is gone at the end. */
export class Rehearsed implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'yardmaster-chat-'))
  readonly reportFile = join(this.folder, 'report.json')
  readonly baseUrl: string
  readonly calls: readonly RecordedCall[]
  readonly #stop: () => Promise<void>
  readonly #workers: Worker[] = []

  constructor(provider: { baseUrl: string; stop: () => Promise<void>; calls: readonly RecordedCall[] }) {
    this.baseUrl = provider.baseUrl
    this.#stop = provider.stop
    this.calls = provider.calls
  }

  /** As a person starts it. */
  person(args: readonly string[], how: { env?: Record<string, string>; stdin?: 'pipe' | 'ignore' } = {}): Worker {
    const worker = new Worker(['--model', 'm', '--base-url', this.baseUrl, ...args], { cwd: this.folder, ...how })
    this.#workers.push(worker)
    return worker
  }

  /** As the dispatcher starts it. */
  boardWorker(args: readonly string[], how: { env?: Record<string, string> } = {}): Worker {
    return this.person(['--report', this.reportFile, '--run', 'R981', '--fence', '7', ...args], how)
  }

  report(): RunReport {
    const read: ReadReport = readReport(this.reportFile, { run: runId(981) as RunId, fence: 7 })
    if (read.kind !== 'report') throw new Error(`no report: ${JSON.stringify(read)}`)
    return read.report
  }

  file(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8')
  }

  /** What was sent with the last call: the conversation, each message as it went over the wire. */
  lastMessages(): readonly { readonly role: string; readonly content: string; readonly tool_call_id?: string }[] {
    return (this.calls.at(-1)?.body as { messages: [] } | undefined)?.messages ?? []
  }

  /** Resolves to the text of a file as soon as there is some in it. */
  async appeared(name: string): Promise<string> {
    const read = () => (readdirSync(this.folder).includes(name) ? this.file(name) : '')
    const watcher = watch(this.folder)
    try {
      while (read() === '') await once(watcher, 'change')
      return read()
    } finally {
      watcher.close()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child } of this.#workers)
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await Promise.all(this.#workers.map(({ ended }) => ended))
    await this.#stop()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** A provider that plays this scenario (YAML). */
export async function rehearse(script: string, onCall: (call: RecordedCall) => void = () => {}): Promise<Rehearsed> {
  const parsed = parseScenario(script, 'scenario.yaml')
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults))
  const calls: RecordedCall[] = []
  const { baseUrl, stop } = await startRehearsalServer({
    scenario: parsed.scenario,
    port: 0,
    onCall: (call) => {
      calls.push(call)
      onCall(call)
    },
  })
  return new Rehearsed({ baseUrl, stop, calls })
}
