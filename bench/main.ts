import { accessSync, constants, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { readConditions } from './conditions.ts'
import type { Bench } from './figure.ts'
import { adopt200 } from './figures/adopt-200.ts'
import { applyTime } from './figures/apply.ts'
import { boardAtScale } from './figures/board-at-scale.ts'
import { cancelInCi } from './figures/cancel-in-ci.ts'
import { chatFirstByte } from './figures/chat-first-byte.ts'
import { chatMemory } from './figures/chat-memory.ts'
import { classifyTime } from './figures/classify.ts'
import { commandOutput } from './figures/command-output.ts'
import { cycleRate, cycleTime } from './figures/cycle.ts'
import { deathToFree } from './figures/death-to-free.ts'
import { groupedCreates } from './figures/grouped-creates.ts'
import { harvestTime } from './figures/harvest.ts'
import { hubMemory } from './figures/hub-memory.ts'
import { idleCpu } from './figures/idle-cpu.ts'
import { listPage } from './figures/list-page.ts'
import { millionEvents } from './figures/million-events.ts'
import { serialise } from './figures/serialise.ts'
import { startLatency } from './figures/start-latency.ts'
import { turnOverhead } from './figures/turn-overhead.ts'
import { loopLag, worktreeVsGit } from './figures/worktrees.ts'
import { formatJson, formatPage, formatTable, type Measured } from './print.ts'

const benches: readonly Bench[] = [
  cycleRate,
  cycleTime,
  startLatency,
  deathToFree,
  boardAtScale,
  groupedCreates,
  millionEvents,
  listPage,
  chatFirstByte,
  commandOutput,
  classifyTime,
  chatMemory,
  turnOverhead,
  serialise,
  hubMemory,
  adopt200,
  cancelInCi,
  worktreeVsGit,
  loopLag,
  idleCpu,
  harvestTime,
  applyTime,
]
const roundCount = 5

const args = process.argv.slice(2)
const ids = args.filter((arg) => !arg.startsWith('--'))
const known = benches.flatMap(({ figures }) => figures.map(({ id }) => id))
const unknown = ids.filter((id) => !known.includes(id))
if (unknown.length > 0) {
  console.error(`✖ no figure is called ${unknown.join(', ')}. There are: ${known.join(', ')}`)
  process.exit(2)
}

const conditions = readConditions()
const measured: Measured[] = []
for (const bench of benches) {
  if (ids.length > 0 && !bench.figures.some(({ id }) => ids.includes(id))) continue
  const missing = (bench.needs ?? []).filter((program) => !isOnPath(program))
  if (missing.length > 0) {
    console.error(`left out: ${bench.figures.map(({ id }) => id).join(', ')} needs ${missing.join(', ')} (see above)`)
    continue
  }
  measured.push(...(await measureAll(bench)))
}
const wanted = measured.filter(({ figure }) => ids.length === 0 || ids.includes(figure.id))
const table = formatTable(wanted, conditions)
console.log(args.includes('--json') ? formatJson(wanted) : table)
if (args.includes('--write')) writeFileSync(join('docs', 'benchmarks.md'), formatPage(table))

/** Five rounds after one that is thrown away, as the first one fills caches, where the bench says no other. */
async function measureAll(bench: Bench): Promise<readonly Measured[]> {
  console.error(`measuring ${bench.figures.map(({ id }) => id).join(', ')}`)
  const round = await bench.open()
  try {
    if (bench.rounds === undefined) await round.measure('ours')
    const values: Readonly<Record<string, number>>[] = []
    for (let i = 0; i < (bench.rounds ?? roundCount); i += 1)
      values.push(await round.measure(i % 2 === 0 ? 'ours' : 'peer'))
    return bench.figures.map((figure) => ({ figure, rounds: values.map((value) => value[figure.id] ?? Number.NaN) }))
  } finally {
    await round.close()
  }
}

function isOnPath(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false // not in this folder
    }
  })
}
