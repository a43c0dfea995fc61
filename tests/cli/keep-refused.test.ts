import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aHome } from './a-home.ts'

describe('C107: a value of keep that could delete too much', () => {
  test.each(['-1', '0', '""', 'abc'])(
    'C107: keep: { done: %s } ends with exit 2, and nothing is deleted',
    async (written) => {
      await using yard = aHome()
      await yard.type('add', 'a task', '--', 'true')
      const runDir = join(yard.home, 'runs', '0', 'R1')
      mkdirSync(runDir, { recursive: true })
      writeFileSync(join(runDir, 'exit'), '0')
      writeFileSync(join(yard.cwd, 'yardmaster.yaml'), `keep: { done: ${written} }\n`)
      for (const line of [['up'], ['list'], ['run', '-']]) {
        const { code, err } = await yard.typeWith({ stdin: 'tasks: { a: { run: "true" } }' }, ...line)
        expect(code).toBe(2)
        expect(err).toContain('keep.done must be a duration such as 3d or 12h, or forever; never 0')
      }
      expect(readdirSync(runDir)).toEqual(['exit'])
    },
  )
})
