// `npm run check [-- GATE…]`: format, lint, types, dead code, architecture, docs, tests. Every gate runs, so that one
// look shows all there is to mend; each red line ends with what mends it.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gateCommand, gates, reportFile, reportFolder } from './gates.mjs'
import { root, runCommand } from './setup/run-command.mjs'
import { listFailures, readReport, sumReports } from './test-reports.mjs'

/** Runs the named gates, or all. Answers the names of the red ones. */
export async function check(names) {
  const unknown = names.filter((name) => !gates.some((gate) => gate.name === name))
  if (unknown.length > 0) {
    console.error(`✖ no gate is called ${unknown.join(', ')}. There are: ${gates.map(({ name }) => name).join(', ')}`)
    return unknown
  }
  rmSync(join(root, reportFolder), { recursive: true, force: true })
  mkdirSync(join(root, reportFolder), { recursive: true })
  const red = []
  for (const gate of gates.filter(({ name }) => names.length === 0 || names.includes(name))) {
    console.log(`\n── ${gate.name}`)
    const code = await runCommand(gateCommand(gate))
    if (code === 0) console.log(`✔ ${gate.name}`)
    else red.push(gate)
  }
  sumUp(red)
  return red.map(({ name }) => name)
}

function sumUp(red) {
  const { passed, failed, skipped } = sumReports(join(root, reportFolder))
  console.log(`\ntests: ${passed} passed, ${failed} failed, ${skipped} skipped`)
  for (const gate of red) {
    const report = gate.tests && readReport(join(root, reportFile(gate)))
    for (const line of report ? listFailures(report, root) : []) console.error(`✖ ${line}`)
    console.error(`✖ ${gate.name}  Mend: ${gate.mend}`)
  }
  if (red.length === 0) console.log('✔ check: all green')
}

if (process.argv[1] === import.meta.filename) {
  const red = await check(process.argv.slice(2))
  process.exitCode = red.length === 0 ? 0 : 1
}
