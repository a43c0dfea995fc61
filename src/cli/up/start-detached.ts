import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../kernel/index.ts'
import type { findHub } from '../../main.ts'
import type { CliDeps } from '../command.ts'
import { cliError } from '../errors.ts'
import { readHubError } from './hub-error.ts'

type FoundHub = NonNullable<Awaited<ReturnType<typeof findHub>>>

/** The child asks the kernel for the lock, opens the store and binds a port; a full disk check may take seconds. */
const servesWithinMs = 60_000
const lookEveryMs = 50
/** A line an event, for years: like the hub's own log it is put aside at a start, in place of an older one. */
const longestLogBytes = 16 * 1024 * 1024

/**
 * Starts this program again as a hub that outlives us: a session of its own, no terminal, everything it says in
 * `log/up.log` of the home. Resolves when it serves. One that ends before throws the error that it printed, and
 * `CLI_HUB_DID_NOT_START` where it printed none; one that lives and does not serve is left to it (`CLI_HUB_IS_LATE`). This is not the
 * spawn of workers (`kernel/process`): a hub has no run, and nobody may end it with its starter.
 */
export async function startDetached(
  deps: Pick<CliDeps, 'self' | 'env' | 'cwd' | 'home' | 'clock' | 'main'>,
  args: readonly string[],
): Promise<FoundHub> {
  const log = join(deps.home, 'log', 'up.log')
  makeFolder(dirname(log), 0o700)
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > longestLogBytes) renameSync(log, `${log}.1`)
  const said = openSync(log, 'a', 0o600)
  const before = statSync(log).size
  const [program = '', ...first] = deps.self
  const child = spawn(program, [...first, ...args], {
    cwd: deps.cwd,
    detached: true,
    stdio: ['ignore', said, said],
    env: { ...deps.env, NO_COLOR: '1' },
  })
  closeSync(said)
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const hub = await servingHub(deps, child.pid, ended)
  child.unref()
  if (hub.kind === 'serves') return hub.hub
  const pid = child.pid ?? 0
  if (hub.kind === 'late') throw cliError('CLI_HUB_IS_LATE', { pid, log, waitedMs: servesWithinMs })
  const tail = readFileSync(log).subarray(before).toString('utf8').trim()
  const told = readHubError({ pid, exitCode: child.exitCode, said: tail })
  if (told !== undefined) throw told
  throw cliError('CLI_HUB_DID_NOT_START', { pid, log, tail: tail === '' ? 'it said nothing' : tail })
}

type Started = { readonly kind: 'serves'; readonly hub: FoundHub } | { readonly kind: 'ended' | 'late' }

async function servingHub(
  { clock, home, main }: Pick<CliDeps, 'clock' | 'home' | 'main'>,
  pid: number | undefined,
  ended: Promise<void>,
): Promise<Started> {
  let gone = pid === undefined
  void ended.then(() => {
    gone = true
  })
  const untilMs = clock.monotonicMs() + servesWithinMs
  while (!gone && clock.monotonicMs() < untilMs) {
    const hub = await main.findHub(home)
    if (hub !== undefined && hub.pid === pid) return { kind: 'serves', hub }
    await Promise.race([clock.sleep(lookEveryMs), ended])
  }
  return { kind: gone ? 'ended' : 'late' }
}
