// The demo yard: a throw-away home, a provider that plays a script, a hub, and one batch through it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../setup/run-command.mjs'
import { findWorkers, signalGroup, startYardmaster } from './children.mjs'
import { findWrongRows } from './expected.mjs'

/** Short waits between attempts, so that the demo ends soon; a real yard waits 10 s to 10 min. */
const retryWait = '200ms-2s'
const slots = 4

/** Opens the demo yard. `close` ends everything of it, at any moment, as often as it is called. */
export function openDemo() {
  const home = mkdtempSync(join(tmpdir(), 'yardmaster-demo-'))
  const env = {
    YARDMASTER_HOME: home,
    YARDMASTER_CONFIG: join(home, 'yardmaster.yaml'),
    YARDMASTER_RETRY_WAIT: retryWait,
  }
  const children = []
  let closing
  const start = (args, how) => {
    if (closing !== undefined) throw new Error('the demo is being closed')
    const child = startYardmaster(args, { env, cwd: root, ...how })
    children.push(child)
    return child
  }
  return {
    home,
    play: () => play({ home, start }),
    close: () => {
      closing ??= close({ home, env, children })
      return closing
    },
  }
}

/** Plays the batch to its end. Answers what did not end as meant, one sentence each. */
async function play({ home, start }) {
  const provider = start(['dev', 'rehearsal', join(root, 'examples/demo/scenario.yaml'), '--json'], { show: false })
  const { base_url: address } = JSON.parse(await provider.said('}'))
  writeFileSync(join(home, 'yardmaster.yaml'), configFor(address))

  const hub = start(['up'], { show: false })
  await hub.said('Hub up')
  console.log(`Demo yard in ${home}: ${slots} slots, 13 tasks, a provider that plays a script (${address}).`)
  console.log(`Waits between attempts are short here (${retryWait}); a real yard waits 10 s to 10 min.\n`)

  await start(['run', join(root, 'examples/demo/demo.yaml'), '--report', join(home, 'report')], { show: true }).ended
  console.log('')
  await start(['report', 'demo'], { show: true }).ended
  const report = start(['report', 'demo', '--json'], { show: false })
  await report.ended
  const wrong = findWrongRows(JSON.parse(report.output()).tasks)
  const left = findWorkers(home)
  return left.length === 0 ? wrong : [...wrong, `processes ${left.join(', ')} of ended attempts are still alive`]
}

/** `yardmaster.yaml` of the demo; its keys are the ones that the documentation explains. */
function configFor(address) {
  return readFileSync(join(root, 'examples/demo/yardmaster.yaml'), 'utf8').replace('http://127.0.0.1:1/v1', address)
}

/** Ends workers by the ladder through the hub, then the hub and the provider, then looks that nothing is left. */
async function close({ home, env, children }) {
  // Who follows the batch on the screen goes first: it could only complain that its hub has left.
  for (const { pid, show } of children) if (show) signalGroup(pid, 'SIGKILL')
  await startYardmaster(['down', '--now'], { env, cwd: root, show: false }).ended
  for (const { pid } of children) signalGroup(pid, 'SIGTERM')
  const ended = Promise.all(children.map((child) => child.ended))
  const late = new Promise((resolve) => setTimeout(resolve, 5_000, 'late').unref())
  if ((await Promise.race([ended, late])) === 'late') for (const { pid } of children) signalGroup(pid, 'SIGKILL')
  await ended
  for (const pid of findWorkers(home)) signalGroup(pid, 'SIGKILL')
  rmSync(home, { recursive: true, force: true })
}
