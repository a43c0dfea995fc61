// The closing line of .ci/run: the tests of both Nodes added up. Exits 1 when one failed or none ran.
import { join } from 'node:path'
import { reportFolder } from './gates.mjs'
import { root } from './setup/run-command.mjs'
import { sumReports } from './test-reports.mjs'

const sums = [root, join(root, '.cache', 'node-24', 'tree')].map((tree) => safeSum(join(tree, reportFolder)))
const passed = sums.reduce((total, sum) => total + sum.passed, 0)
const failed = sums.reduce((total, sum) => total + sum.failed, 0)
console.log(`tests: ${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && sums.every((sum) => sum.passed > 0) ? 0 : 1

function safeSum(folder) {
  try {
    return sumReports(folder)
  } catch {
    return { passed: 0, failed: 0 } // this Node's run did not get as far as a report; that alone makes it red
  }
}
