import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findHub } from '../../src/main.ts'
import { buildProgram, startProgram } from './program.ts'

const cwd = mkdtempSync(join(tmpdir(), 'yard-replace-'))
const home = join(cwd, 'home')
const type = (...argv: string[]) => startProgram(argv, { home, cwd })
beforeAll(buildProgram)
afterAll(async () => {
  await type('down', '--now').ended
  rmSync(cwd, { recursive: true })
})

test('up --replace puts a new program in the place of the one that runs: workers keep their pids, the port stays', async () => {
  writeFileSync(join(cwd, 'yardmaster.yaml'), 'slots: 3\n')
  const old = type('up', '--replace') // without a hub it is just up
  await old.says('Hub up')
  for (const n of [1, 2, 3]) {
    await type('add', `w${n}`, '--', 'sh', '-c', `echo $$ >> pids; while [ ! -e go ]; do sleep 0.02; done`).ended
  }
  const pids = () => (existsSync(join(cwd, 'pids')) ? readFileSync(join(cwd, 'pids'), 'utf8').trim().split('\n') : [])
  await expect.poll(() => pids().length).toBe(3)
  const { port } = (await findHub(home)) ?? {}

  const faulty = await (() => {
    writeFileSync(join(cwd, 'faulty.yaml'), 'slots: many\n')
    return type('up', '--replace', '--config', 'faulty.yaml').ended
  })()
  expect(faulty).toMatchObject({ code: 2, err: expect.stringContaining('slots') })
  expect((await findHub(home))?.pid).toBe(old.child.pid)

  const next = type('up', '--replace')
  await next.says('Hub up')
  expect(next.err()).toMatch(/^Note: took over from hub \S+ \(pid \d+\) with \d+ ms without a hub; what runs goes on\n/)
  expect(await old.ended).toMatchObject({ code: 0, err: expect.stringContaining('another one took over') })
  expect(await findHub(home)).toMatchObject({ pid: next.child.pid, port })
  const [first = ''] = pids()
  expect(pids().map((pid) => existsSync(`/proc/${pid}`))).toEqual([true, true, true])
  writeFileSync(join(cwd, 'go'), '')
  await next.says('T1 done')
  expect(pids()).toHaveLength(3)
  expect((await type('show', 'T1', '--json').ended).out).toContain('"runs":1')
  expect(first).not.toBe('')
})

test('up -d --replace of a hub that a service keeps up is refused in one error, with the code and exit of its cause', async () => {
  const place = { home: join(cwd, 'served'), cwd }
  const served = startProgram(['up', '--service'], place)
  await served.says('Hub up')
  const { code, out, err } = await startProgram(['up', '-d', '--replace'], place).ended
  expect({ code, out, err }).toEqual({
    code: 2,
    out: '',
    err: `error: the hub (pid ${served.child.pid}) is kept up by a service manager, which would not know another [MAIN_HUB_OF_SERVICE]
  fix: install the new version and restart it there, attempts go on: systemctl --user restart yardmaster (a container: restart that)
`,
  })
  served.child.kill('SIGTERM')
  await served.ended
})
