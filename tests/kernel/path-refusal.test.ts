import { openSync, renameSync } from 'node:fs'
import { expect, test } from 'vitest'
import { refusesPath, saySystemFault } from '../../src/kernel/index.ts'

const faultOf = (act: () => unknown): unknown => {
  try {
    act()
  } catch (fault) {
    return fault
  }
  return expect.fail('no fault')
}

test('the words of the system are said without any path, whatever is in it', () => {
  const strange = "/no/it's, open 'x'\n"
  expect(saySystemFault(faultOf(() => openSync(strange, 'r')))).toBe('ENOENT: no such file or directory')
  expect(saySystemFault(faultOf(() => renameSync(strange, '/no/b')))).toBe('ENOENT: no such file or directory')
  expect(saySystemFault(new Error("one, of 'ours'"))).toBe("one, of 'ours'")
})

test('a fault of the path is told from one of the machine', () => {
  const codes = ['ENOENT', 'EROFS', 'ENOSPC', 'EIO', 'EMFILE', undefined]
  expect(codes.map((code) => refusesPath({ code }))).toEqual([true, true, false, false, false, false])
  expect(refusesPath(null)).toBe(false)
})
