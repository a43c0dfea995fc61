import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { type Bench, measureBoth } from '../figure.ts'
import { median } from '../statistics.ts'
import { cleanEnvironment } from '../yard.ts'

const starts = 3
/** After this a process has done what it does at its start. */
const settledMs = 500

/** The memory of an agent that waits for its provider, which is what a worker does for most of its life. */
export const chatMemory: Bench = {
  figures: [
    {
      id: 'chat_rss_vs_node',
      says: `resident memory of chat -q while it waits for an answer, over an idle node; medians of ${starts} each`,
      goal: { atMost: 1.5 },
    },
  ],
  async open() {
    const server = createServer((request) => request.resume()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return {
      async measure(first) {
        const { ours, peer } = await measureBoth(
          first,
          () => repeat(() => weighChat(server)),
          () => repeat(weighNode),
        )
        return { chat_rss_vs_node: ours / peer }
      },
      close: () =>
        new Promise((resolve) => {
          server.close(() => resolve())
          server.closeAllConnections()
        }),
    }
  },
}

async function repeat(measure: () => Promise<number>): Promise<number> {
  const values: number[] = []
  for (let i = 0; i < starts; i += 1) values.push(await measure())
  return median(values)
}

/** The request is taken and never answered. */
async function weighChat(server: Server): Promise<number> {
  const { port } = server.address() as AddressInfo
  const args = ['dist/bin.cjs', 'chat', '-q', 'hi', '--model', 'm', '--base-url', `http://127.0.0.1:${port}/v1`]
  const env = { ...cleanEnvironment(), YARDMASTER_API_KEY: 'bench' }
  const worker = spawn(process.execPath, args, { env, stdio: 'ignore' })
  const gone = once(worker, 'exit').then(([code]) => Promise.reject(new Error(`chat -q ended early with ${code}`)))
  gone.catch(() => {}) // its end after it was weighed is what we ask for
  await Promise.race([once(server, 'request'), gone])
  return await weigh(worker)
}

async function weighNode(): Promise<number> {
  const args = ['-e', 'setInterval(() => {}, 1e6)']
  return await weigh(spawn(process.execPath, args, { env: cleanEnvironment(), stdio: 'ignore' }))
}

async function weigh(child: ChildProcess): Promise<number> {
  await wait(settledMs)
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1])
}
