import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { realPath } from '../../src/kernel/index.ts'

test('every way to name a place gives one name, and what is not there keeps its own', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'yard-paths-')))
  mkdirSync(join(root, 'project', 'src'), { recursive: true })
  symlinkSync(join(root, 'project'), join(root, 'alias'))
  for (const name of ['project', 'project/', 'alias', 'alias/', 'alias/src/..', './project/../alias']) {
    expect(realPath(`${root}/${name}`)).toBe(join(root, 'project'))
  }
  expect(realPath(`${root}/gone/../nowhere/`)).toBe(join(root, 'nowhere'))
  rmSync(root, { recursive: true })
})
