import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { type RunReport, readReport } from '../../../src/runs/index.ts'
import { parseScenario, type RecordedCall, startRehearsalServer } from '../../../src/worker/index.ts'
import { type ApiYard, type ApiYardOptions, openApiYard, startRun } from '../../api/open-yard.ts'

/** A released worker with the token of a run on descriptor 3, as its dispatcher starts it. */
export interface TokenWorker extends AsyncDisposable {
  readonly yard: ApiYard
  readonly started: ReturnType<typeof startRun>
  /** Where it works. */
  readonly folder: string
  readonly calls: readonly RecordedCall[]
  /** The conversation as it was sent with a call. */
  messages(call: number): readonly { readonly role: string; readonly content: string }[]
  readonly ended: Promise<{ readonly code: number | null; readonly log: string }>
  /** Resolves as soon as its log holds `text`. */
  logged(text: string): Promise<void>
  report(): RunReport | undefined
}

export interface TokenWorkerOptions {
  readonly script: string
  readonly api?: ApiYardOptions
  readonly env?: Readonly<Record<string, string>>
  /** What it is given instead of its token. */
  readonly token?: string
  /** Called when the provider is asked. */
  readonly onCall?: (
    call: RecordedCall,
    at: { readonly yard: ApiYard; readonly started: ReturnType<typeof startRun> },
  ) => void
}

export async function startTokenWorker({
  script,
  api = {},
  env = {},
  token,
  onCall,
}: TokenWorkerOptions): Promise<TokenWorker> {
  const parsed = parseScenario(script, 'scenario.yaml')
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults))
  const yard = await openApiYard(api)
  await yard.client.createTask({ prompt: 'Fix the login.', title: 'login', dir: '/shop' })
  const started = startRun(yard)
  const calls: RecordedCall[] = []
  const provider = await startRehearsalServer({
    scenario: parsed.scenario,
    port: 0,
    onCall: (call) => {
      calls.push(call)
      onCall?.(call, { yard, started })
    },
  })
  const { run, dir } = started
  const folder = join(yard.home, 'work') // where its hub says that it works
  mkdirSync(folder)
  writeFileSync(join(dir, 'hub'), `http://127.0.0.1:${yard.port}\n`)
  const reportFile = join(dir, 'report.json')
  const args = ['-q', 'Do it.', '--model', 'm', '--no-key', '--base-url', provider.baseUrl]
  const identity = ['--report', reportFile, '--run', `R${run.id}`, '--fence', String(run.fence)]
  const child = spawn(process.execPath, [resolve('dist/bin.cjs'), 'chat', ...args, ...identity], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      YARDMASTER_HUB_FILE: join(dir, 'hub'),
      YARDMASTER_TASK: `T${run.task}`,
      YARDMASTER_RUN: `R${run.id}`,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const gate = child.stdio[3] as Writable
  gate.on('error', () => {}) // who is given none may have closed it already
  gate.end(token ?? started.token)
  let log = ''
  const heard = (text: string) => {
    log += text
  }
  child.stdout?.setEncoding('utf8').on('data', heard)
  child.stderr?.setEncoding('utf8').on('data', heard)
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, log }))
  return {
    yard,
    started,
    folder,
    calls,
    messages: (call) => (calls[call]?.body as { messages: [] } | undefined)?.messages ?? [],
    ended,
    async logged(text) {
      while (!log.includes(text)) {
        const more = await Promise.race([once(child.stderr as never, 'data'), ended])
        if (!Array.isArray(more) && !log.includes(text)) throw new Error(`ended without "${text}":\n${log}`)
      }
    },
    report() {
      if (!existsSync(reportFile)) return undefined
      const read = readReport(reportFile, { run: run.id, fence: run.fence })
      if (read.kind !== 'report') throw new Error(`${JSON.stringify(read)} ${readFileSync(reportFile, 'utf8')}`)
      return read.report
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await ended
      await provider.stop()
      await yard[Symbol.asyncDispose]()
    },
  }
}
