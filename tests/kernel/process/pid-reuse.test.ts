import { expect, test } from 'vitest'
import { bundleFixture, readFirstLine, startProgram } from './run-bundled.ts'

test('C23: a stranger that got the number of a dead process of ours is never signalled', async () => {
  expect(process.getuid?.(), 'this test makes a pid namespace and has to run as root').toBe(0)
  const program = await bundleFixture('pid-reuse.ts')
  const inside = startProgram(['unshare', '--pid', '--fork', '--mount-proc', process.execPath, program], '')
  expect(JSON.parse(await readFirstLine(inside))).toEqual({
    reused: true,
    compared: 'gone',
    answers: ['gone', 'gone', 'gone', 'gone'],
    unharmed: true,
  })
})
