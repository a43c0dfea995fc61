import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { UnderFire } from './carry-out.ts'
import type { Fault } from './faults.ts'
import { servesSays } from './hub-lives.ts'
import { uptimeSeconds } from './scan-processes.ts'
import { signalIfThere } from './signal-if-there.ts'

/** One that finds the home taken waits 5 s for whoever has it. */
const longestMs = 8_000

/**
 * Starts another hub on the same home while one is up, beside it or in a namespace of its own. Only one may work. Both are in the
 * world of the round: what a hub out here had started could be told by none that follows in there.
 */
export async function startSecondHub(fire: UnderFire, { from }: Extract<Fault, { kind: 'second_hub' }>) {
  const { lives, yard, ledger, product, plan, world } = fire
  // Both start at once, so that any of the two may win.
  const release = lives.hold()
  await lives.kill()
  const argv = [...product, 'up']
  const [program = '', ...args] = from === 'here' ? world.enter(argv) : world.enterApart(argv)
  const second = spawn(program, args, { cwd: yard.folder, env: yard.env, stdio: ['ignore', 'pipe', 'ignore'] })
  let said = ''
  second.stdout.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  const ended = once(second, 'exit').then(([code, signal]) => signal ?? code)
  let end: unknown
  void ended.then((how) => {
    end = how
  })
  release()
  for (let waited = 0; waited < longestMs && end === undefined; waited += 50) {
    await wait(50)
    if (end === undefined && said.includes(servesSays) && lives.hasSaid(servesSays) && lives.pid() !== undefined) {
      ledger.seen.push({ kind: 'two_hubs', says: `two hubs served one home at once (${from})` })
      break
    }
    if (said.includes(servesSays) && waited > longestMs / 4) break // it has won, and the other keeps trying
  }
  if (end === 0) ledger.seen.push({ kind: 'strange', says: 'a second hub ended with 0 although the home was taken' })
  if (end !== undefined) return true
  const pid = from === 'here' ? world.findEntered(second) : world.findApart(second)
  if (pid !== undefined) signalIfThere(pid, 'SIGKILL')
  await ended
  ledger.hubDeathsS.push(uptimeSeconds())
  if (from === 'other_namespace' || plan.world === 'pid_1') ledger.worldEndsS.push(uptimeSeconds())
  return true
}
