// The peer of cycle_rate_vs_spawn and start_latency_vs_spawn: what a bare Node program pays for a process with a log file.
//   node spawn-loop.mjs COUNT AT_ONCE FOLDER PROGRAM [ARGUMENT…]   prints {"elapsedMs": n, "spawnedAtMs": [n, …]}
import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'

const [count, atOnce, folder, program, ...args] = process.argv.slice(2)
const wanted = Number(count)
const spawnedAtMs = []
let started = 0
let ended = 0
const began = performance.now()

function startNext() {
  if (started === wanted) return
  const log = openSync(join(folder, `${started}.log`), 'a')
  started += 1
  spawnedAtMs.push(performance.timeOrigin + performance.now())
  const child = spawn(program, args, { detached: true, stdio: ['ignore', log, log] })
  closeSync(log)
  child.on('exit', () => {
    ended += 1
    if (ended === wanted) console.log(JSON.stringify({ elapsedMs: performance.now() - began, spawnedAtMs }))
    else startNext()
  })
}

for (let i = 0; i < Number(atOnce); i += 1) startNext()
