// How every script of ops starts another program: inherited output, clean environment, the exit code as the answer.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Root folder of the checkout, with a closing slash. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Runs `argv` and resolves to its exit code (128 + n for a signal). NODE_EXTRA_CA_CERTS is left out, because Node 20
 * parses that file at every start, which costs more than the start itself; npm keeps it, to reach its registry.
 */
export function runCommand(argv, { cwd = root, env = {}, output = 'inherit' } = {}) {
  const { NODE_EXTRA_CA_CERTS: _dropped, ...lean } = process.env
  const inherited = argv[0] === 'npm' ? process.env : lean
  return new Promise((resolve, reject) => {
    const child = spawn(argv[0], argv.slice(1), {
      cwd,
      env: { ...inherited, ...env },
      stdio: ['ignore', output, output],
    })
    running.add(child)
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      running.delete(child)
      resolve(signal === null ? code : 128 + (signalNumbers[signal] ?? 9))
    })
  })
}

/** Passes a signal on to what `runCommand` has running: a signal sent to a script alone does not reach its children. */
export function signalRunning(signal) {
  for (const child of running) child.kill(signal)
}

const running = new Set()

const signalNumbers = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }
