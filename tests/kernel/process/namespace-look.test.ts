import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { createNamespaceLook, readHostIdentity } from '../../../src/kernel/process/index.ts'

const here = readHostIdentity()
const unshare = ['--pid', '--fork', '--mount-proc', '--kill-child=KILL']
const seesAll = here.namespace === '4026531836'
const canUnshare = spawnSync('unshare', [...unshare, 'true']).status === 0

test('from a namespace that is not the initial one, no other is ever taken for over', () => {
  expect(createNamespaceLook({ namespace: '4026532999' })('1')).toBe(false)
})

test.skipIf(!seesAll)('from the initial one, ours lives, and one in which nobody lives is over', () => {
  const isOver = createNamespaceLook(here)
  expect([isOver(here.namespace), isOver('1')]).toEqual([false, true])
})

test.skipIf(!seesAll || !canUnshare)(
  'one lives as long as its PID 1 does, even below another that is not ours',
  async () => {
    const script = `readlink /proc/self/ns/pid; unshare ${unshare.join(' ')} sh -c 'readlink /proc/self/ns/pid; exec sleep 300'`
    const outer = spawn('unshare', [...unshare, 'sh', '-c', script], { stdio: ['ignore', 'pipe', 'ignore'] })
    onTestFinished(() => {
      outer.kill('SIGKILL')
    })
    let said = ''
    while (said.split('\n').length < 3) said += String((await once(outer.stdout, 'data'))[0])
    const namespaces = [...said.matchAll(/\d+/g)].map(([inode]) => inode)
    const lives = () => {
      const isOver = createNamespaceLook(here)
      return namespaces.map((inode) => !isOver(inode))
    }
    expect(namespaces).toHaveLength(2)
    expect(lives()).toEqual([true, true])
    outer.kill('SIGKILL')
    await expect.poll(lives).toEqual([false, false])
  },
)
