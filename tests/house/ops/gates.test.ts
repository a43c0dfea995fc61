import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { gateCommand, gates } from '../../../ops/gates.mjs'
import { listFailures, sumReports } from '../../../ops/test-reports.mjs'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'yardmaster-gates-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('npm run check', () => {
  test('has a gate for format, lint, types, dead code, architecture, docs and tests', () => {
    expect(gates.map(({ name }) => name)).toEqual([
      'format',
      'lint',
      'types',
      'dead code',
      'architecture',
      'docs',
      'tests',
    ])
  })

  test('says for every gate what mends it', () => {
    for (const { mend } of gates) expect(mend).toMatch(/\w/)
  })

  test('runs every test file in exactly one gate', () => {
    const tests = gates.find(({ name }) => name === 'tests')
    const others = gates.filter((gate) => gate.tests !== undefined && gate !== tests).flatMap((gate) => gate.tests)
    expect(tests?.but).toEqual(others.map((path) => `${path}/**`))
  })

  test('leaves a JSON report of each gate with tests', () => {
    const commands = gates.filter(({ tests }) => tests !== undefined).map((gate) => gateCommand(gate).join(' '))
    for (const command of commands) expect(command).toMatch(/--outputFile\.json=\.cache\/test-reports\/\w+\.json/)
  })
})

describe('the count of tests', () => {
  const report = {
    numPassedTests: 4,
    numFailedTests: 1,
    numPendingTests: 1,
    numTodoTests: 0,
    testResults: [
      {
        name: '/tree/tests/a.test.ts',
        status: 'failed',
        assertionResults: [
          { status: 'passed', fullName: 'a works' },
          { status: 'failed', fullName: "a doesn't break" },
        ],
      },
      { name: '/tree/tests/b.test.ts', status: 'failed', assertionResults: [] },
    ],
  }

  test('adds up reports, and a file that cannot be loaded counts as failed', () => {
    writeFileSync(join(folder, 'one.json'), JSON.stringify(report))
    writeFileSync(join(folder, 'two.json'), JSON.stringify({ ...report, testResults: [], numFailedTests: 0 }))
    expect(sumReports(folder)).toEqual({ passed: 8, failed: 2, skipped: 2 })
  })

  test('names each failed test with the command that runs it alone', () => {
    expect(listFailures(report, '/tree')).toEqual([
      `tests/a.test.ts: a doesn't break  Alone: npx vitest run tests/a.test.ts -t 'a doesn'\\''t break'`,
      'tests/b.test.ts could not be loaded  Alone: npx vitest run tests/b.test.ts',
    ])
  })
})

test('.ci/run calls npm test, runs the tests again on Node 24, and hides nothing', () => {
  const script = readFileSync('.ci/run', 'utf8')
  expect(script).toMatch(/^npm test \|\| /m)
  expect(script).toMatch(/^node ops\/other-node\.mjs 24 \|\| /m)
  expect(script).not.toMatch(/\|\| true|>\s*\/dev\/null|--passWithNoTests/)
})
