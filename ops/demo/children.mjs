// The demo's own processes: each in a group of its own, so that Ctrl-C reaches them only through us and in order.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { root } from '../setup/run-command.mjs'

const bin = `${root}dist/bin.cjs`

/** Starts `yardmaster ARGS`. `ended` resolves to its exit code; `said(text)` to its first output with that text in it. */
export function startYardmaster(args, { env, cwd, show }) {
  const { NODE_EXTRA_CA_CERTS: _dropped, ...inherited } = process.env
  const child = spawn(process.execPath, [bin, ...args], {
    cwd,
    env: { ...inherited, ...env },
    detached: true,
    stdio: show ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))
  let heard = ''
  let complaint = ''
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    heard += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    complaint += text
  })
  const said = (text) => hear(child, { text, heard: () => heard, ended, complaint: () => complaint })
  return { pid: child.pid, show, ended, output: () => heard, said }
}

/** Resolves to all that was printed once `text` is in it; rejects when the child ends before, or takes too long. */
function hear(child, { text, heard, ended, complaint }) {
  const name = `yardmaster ${child.spawnargs.slice(2, 4).join(' ')}`
  return new Promise((resolve, reject) => {
    const look = () => heard().includes(text) && resolve(heard())
    child.stdout.on('data', look)
    look()
    ended.then((code) => reject(new Error(`${name} ended with ${code} before it said "${text}": ${complaint()}`)))
    setTimeout(() => reject(new Error(`${name} did not say "${text}" within 20 s`)), 20_000).unref()
  })
}

/** Sends a signal to a child of ours and its group; one that is gone already is fine. */
export function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

/** Processes whose environment names `home`: workers of the demo, the hub itself excepted. */
export function findWorkers(home) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readEnvironment(pid).some((entry) => entry.startsWith(`YARDMASTER_RUN_DIR=${home}/`)))
    .map(Number)
}

function readEnvironment(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    return [] // it has ended meanwhile, or belongs to somebody else
  }
}
