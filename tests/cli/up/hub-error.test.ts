import picocolors from 'picocolors'
import { expect, test } from 'vitest'
import { printError } from '../../../src/cli/print-error.ts'
import { readHubError } from '../../../src/cli/up/hub-error.ts'
import { YardError } from '../../../src/kernel/index.ts'

function printed(fault: unknown) {
  const said = ['Note: a copy\n']
  const err = { write: (text: string) => void said.push(text) } as unknown as Parameters<typeof printError>[0]['err']
  const exitCode = printError({ err, env: {}, json: false, paint: picocolors.createColors(false) }, fault)
  return { pid: 7, exitCode, said: said.join('') }
}

const faults = [{ path: 'slots', says: 'must be a number', fix: 'write one' }]

test.each([
  [{ code: 'MAIN_HOME_TAKEN', status: 409, message: 'another [one] works', fix: 'wait', values: {} }, 400],
  [{ code: 'BOARD_DAMAGED', status: 500, message: 'two\nlines', fix: 'restore\nit', values: {} }, 500],
])('what a hub printed of %o is read back', (row, status) => {
  const { code, message, fix } = row
  expect(readHubError(printed(new YardError(row)))).toMatchObject({ code, message, fix, status, values: { hubPid: 7 } })
})

test('faults of a file stay below their error', () => {
  const row = { code: 'CONFIG_INVALID', status: 400, message: 'y.yaml is wrong', fix: 'mend it', values: { faults } }
  const read = readHubError(printed(new YardError(row)))
  expect(read).toMatchObject({ message: 'y.yaml is wrong\n  slots: must be a number\n    write one', fix: 'mend it' })
})

test('an end without such words is none', () => {
  expect(readHubError({ pid: 7, exitCode: null, said: '' })).toBeUndefined()
  expect(readHubError({ pid: 7, exitCode: 1, said: 'error: Segmentation fault\nat node' })).toBeUndefined()
})
