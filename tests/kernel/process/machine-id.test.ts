import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { systemRandom as random } from '../../../src/kernel/index.ts'
import { findMachine, readMachine } from '../../../src/kernel/process/index.ts'

const root = mkdtempSync(join(tmpdir(), 'yard-machine-'))
afterAll(() => rmSync(root, { recursive: true }))
let files: { keptIn: string; systemFiles: string[] }
beforeEach(() => {
  const home = mkdtempSync(join(root, 'home-'))
  files = { keptIn: join(home, 'machine-id'), systemFiles: [join(home, 'etc'), join(home, 'dbus')] }
})
const system = (index: number, text: string) => writeFileSync(files.systemFiles[index] ?? '', text)
const osId = '0123456789abcdef0123456789abcdef'

describe('the id of this machine', () => {
  test('is the same at every look, and is not the system’s own id, which others must not learn', () => {
    system(0, `${osId}\n`)
    const machine = readMachine({ random }, files)
    expect(machine).toEqual({ id: expect.stringMatching(/^[0-9a-f]{32}$/), host: hostname(), from: 'system' })
    expect(machine.id).not.toBe(osId)
    expect(readMachine({ random }, files)).toEqual(machine)
    system(0, `${osId.replace('0', '1')}\n`)
    expect(readMachine({ random }, files).id).not.toBe(machine.id)
  })

  test('comes from D-Bus where the first file is empty or still to be filled', () => {
    for (const text of ['', 'uninitialized\n']) {
      system(0, text)
      system(1, osId)
      expect(readMachine({ random }, files)).toMatchObject({ from: 'system' })
    }
  })
})

describe('a machine without an id', () => {
  test('is given one in the home, which holds over restarts and when the home is moved', () => {
    expect(findMachine(files)).toBeUndefined()
    const machine = readMachine({ random }, files)
    expect(machine).toMatchObject({ from: 'home' })
    expect(readMachine({ random }, files)).toEqual(machine)
    expect(statSync(files.keptIn).mode & 0o777).toBe(0o600)
    const moved = `${files.keptIn}-moved`
    renameSync(files.keptIn, moved)
    expect(findMachine({ ...files, keptIn: moved })).toEqual(machine)
  })

  test('does not take the file of a copied home for its own', () => {
    const machine = readMachine({ random }, files)
    const copy = `${files.keptIn}-copy`
    copyFileSync(files.keptIn, copy)
    expect(readFileSync(copy, 'utf8')).toContain(machine.id)
    expect(findMachine({ ...files, keptIn: copy })).toBeUndefined()
    expect(readMachine({ random }, { ...files, keptIn: copy }).id).not.toBe(machine.id)
  })

  test.each(['', 'nonsense', `${'a'.repeat(32)}`])('makes a file anew that says %j', (text) => {
    writeFileSync(files.keptIn, text)
    const machine = readMachine({ random }, files)
    expect(readMachine({ random }, files)).toEqual(machine)
  })
})
