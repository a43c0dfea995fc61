import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { type Bench, measureBoth } from '../figure.ts'
import { median } from '../statistics.ts'
import { cleanEnvironment } from '../yard.ts'

const starts = 9

/** What an agent costs before it has asked anything: from the start of `chat -q` to the first byte of its first request. */
export const chatFirstByte: Bench = {
  figures: [
    {
      id: 'chat_first_byte_vs_node',
      says: `chat -q, start to first request byte, over a whole "node -e 0"; medians of ${starts} each`,
      goal: { atMost: 1.9 },
    },
  ],
  async open() {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return {
      async measure(first) {
        const { ours, peer } = await measureBoth(
          first,
          () => repeat(() => timeChat(server)),
          () => repeat(timeNode),
        )
        return { chat_first_byte_vs_node: ours / peer }
      },
      close: () => new Promise((resolve) => server.close(() => resolve())),
    }
  },
}

async function repeat(measure: () => Promise<number>): Promise<number> {
  const values: number[] = []
  for (let i = 0; i < starts; i += 1) values.push(await measure())
  return median(values)
}

/** The server answers nothing: once the first byte is here the worker is ended. */
async function timeChat(server: Server): Promise<number> {
  const { port } = server.address() as AddressInfo
  const heard = new Promise<number>((resolve) => {
    server.once('connection', (socket) => {
      socket.on('error', () => {}) // the worker is killed while it writes
      socket.once('data', () => {
        resolve(performance.now())
        socket.destroy()
      })
    })
  })
  const began = performance.now()
  const args = ['dist/bin.cjs', 'chat', '-q', 'hi', '--model', 'm', '--base-url', `http://127.0.0.1:${port}/v1`]
  const env = { ...cleanEnvironment(), YARDMASTER_API_KEY: 'bench' }
  const worker = spawn(process.execPath, args, { env, stdio: 'ignore' })
  const gone = once(worker, 'exit')
  const elapsedMs = await Promise.race([
    heard.then((at) => at - began),
    gone.then(([code]) => Promise.reject(new Error(`chat -q ended with ${code} before it asked anything`))),
  ])
  worker.kill('SIGKILL')
  await gone
  return elapsedMs
}

async function timeNode(): Promise<number> {
  const began = performance.now()
  await once(spawn(process.execPath, ['-e', '0'], { env: cleanEnvironment(), stdio: 'ignore' }), 'exit')
  return performance.now() - began
}
