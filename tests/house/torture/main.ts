import { randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { judgeRound } from './judge-round.ts'
import { parseOptions, type TortureOptions } from './options.ts'
import { formatPage } from './page.ts'
import { insideWord, playReuses, type ReuseFigures } from './pid-reuse/play-reuses.ts'
import { playPart } from './pid-reuse/reuse-pids.ts'
import { planRound } from './plan-round.ts'
import { playRound } from './play-round.ts'
import { findPowers } from './powers.ts'
import { formatJson, formatTable } from './print.ts'
import { addRound, isSound, openTally, type Tally } from './tally.ts'

/** As a shell tells a death by SIGINT. */
const interrupted = 130
/** When tasks are counted, faults come until the last one of a round. */
const longestFaultsMs = 180_000

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort())

try {
  if (process.argv[2] === insideWord) await playPart(process.argv[3] ?? '')
  else process.exitCode = await torture(parseOptions(process.argv.slice(2), { anySeed: randomInt(2 ** 31) }))
} catch (fault) {
  console.error(`✖ ${fault instanceof Error ? fault.message : fault}`)
  process.exitCode = 2
}

async function torture(options: TortureOptions): Promise<number> {
  const { seed, output } = options
  const say = (line: string) => (output === 'json' ? console.error(line) : console.log(line))
  const { powers, skipped } = findPowers()
  say(`seed ${seed}`)
  for (const { without, why } of skipped) say(`skipped: ${without} (${why})`)
  const beganMs = performance.now()
  const tally = openTally()
  for (let index = options.round ?? 0; goesOn(options, tally, performance.now() - beganMs); index += 1) {
    const { tasksPerRound: tasks, slots, world } = options
    const plan = planRound({ seed, index, tasks, slots, powers, ...(world === null ? {} : { world }) })
    const product = [process.execPath, resolve(options.product)]
    const times = { faultsMs: options.tasks === null ? 10_000 : longestFaultsMs, peaceMs: 90_000 }
    const tell = options.detail === 'steps' ? sayStep : () => {}
    const played = await playRound({ product, stop: stop.signal, tell }, { plan, times, keep: options.keep === 'keep' })
    if (stop.signal.aborted) return interrupted
    const findings = judgeRound(played)
    addRound(tally, played, findings)
    const { faults } = played.ledger
    const hits = Object.values(faults).reduce((sum, times) => sum + times, 0)
    say(
      `round ${index} ${plan.world}: ${played.books?.tasks.length ?? 0} tasks, ${hits} faults, ${(played.tookMs / 1_000).toFixed(1)} s, ` +
        `${findings.length === 0 ? 'sound' : `${findings.length} findings`}${played.folder === null ? '' : ` (${played.folder})`}`,
    )
    for (const { kind, says } of findings.slice(0, 10)) say(`  ${kind}: ${says}`)
  }
  const self = [process.execPath, ...process.argv.slice(1, 2)]
  const reuse =
    options.pidReuses > 0 && powers.includes('namespace') && !stop.signal.aborted
      ? await playReuses({ self, stop: stop.signal }, { reuses: options.pidReuses, seed })
      : null
  const seconds = (performance.now() - beganMs) / 1_000
  const summary = { options, tally, reuse, skipped, seconds }
  console.log(output === 'json' ? formatJson(summary) : formatTable(summary))
  if (options.writePage === 'write') writeFileSync('docs/reliability.md', formatPage(summary))
  return isSound(tally) && isReuseSound(reuse) ? 0 : 1
}

function sayStep(step: string): void {
  console.error(`  ${performance.now().toFixed(0)} ms ${step}`)
}

/** Nobody was hit, and somebody would have been. */
function isReuseSound(reuse: ReuseFigures | null): boolean {
  return reuse === null || (reuse.signalled === 0 && reuse.control > 0)
}

function goesOn({ seconds, tasks, round }: TortureOptions, tally: Tally, tookMs: number): boolean {
  if (stop.signal.aborted) return false
  if (round !== null) return tally.rounds === 0
  return tasks === null ? tookMs < seconds * 1_000 : tally.tasks < tasks
}
