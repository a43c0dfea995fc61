// Reads the JSON reports that the test runner left: how many passed, how many failed, and which.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Adds up every report of `folder`. A file that could not even be loaded counts as one failed test. */
export function sumReports(folder) {
  const sum = { passed: 0, failed: 0, skipped: 0 }
  for (const report of readReports(folder)) {
    sum.passed += report.numPassedTests
    sum.failed += report.numFailedTests + brokenFiles(report).length
    sum.skipped += report.numPendingTests + report.numTodoTests
  }
  return sum
}

/** One line for each failed test of a report, ending with the command that runs it alone. */
export function listFailures(report, root) {
  const lines = []
  for (const { name, assertionResults } of report.testResults) {
    const file = relative(root, name)
    for (const { status, fullName } of assertionResults) {
      if (status === 'failed')
        lines.push(`${file}: ${fullName}  Alone: npx vitest run ${file} -t ${shellWord(fullName)}`)
    }
  }
  for (const { name } of brokenFiles(report)) {
    const file = relative(root, name)
    lines.push(`${file} could not be loaded  Alone: npx vitest run ${file}`)
  }
  return lines
}

/** The report in `file`, or undefined when the runner did not get as far as writing one. */
export function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined // the gate is red by its exit code then
  }
}

function readReports(folder) {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.name.endsWith('.json'))
  return files.map(({ name }) => readReport(join(folder, name))).filter((report) => report !== undefined)
}

function brokenFiles(report) {
  return report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  )
}

const shellWord = (text) => `'${text.replaceAll("'", "'\\''")}'`
