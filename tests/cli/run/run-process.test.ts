import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { XMLValidator } from 'fast-xml-parser'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/kernel/index.ts'
import { readStat } from '../../../src/kernel/process/index.ts'
import { waitFor } from '../../wait-for.ts'
import { buildProgram, startProgram } from '../program.ts'

beforeAll(buildProgram)

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'yard-run-process-'))
})
afterEach(() => {
  rmSync(root, { recursive: true })
})

const inRoot = (path: string) => join(root, path)
const start = (argv: readonly string[], env: Record<string, string> = {}) =>
  startProgram(argv, { home: inRoot('home'), cwd: root, env })

async function appears(path: string): Promise<string> {
  const changes = watch(root)
  try {
    while (!existsSync(inRoot(path))) await once(changes, 'change')
  } finally {
    changes.close()
  }
  return readFileSync(inRoot(path), 'utf8')
}

/** One task that is done at once, then one that says its pid and waits to be let go or ended. */
function putBatch(more = '', fields: object = {}): void {
  const waits = `${more}echo ran >> b.runs; echo $$ > b.new; mv b.new b.pid; until test -e go; do sleep 0.05; done`
  const tasks = { a: { run: 'echo ran >> a.runs' }, b: { run: waits, needs: 'a', rerun: 'auto', ...fields } }
  writeFileSync(inRoot('b.yaml'), JSON.stringify({ tasks }))
}

/** A zombie has ended: whether its parent fetches it is the machine's business. */
function isAlive(pid: string): boolean {
  const stat = readStat(Number(pid))
  return typeof stat !== 'string' && stat.state !== 'Z'
}

describe('run in a process of its own', () => {
  test('under CI the first signal ends what runs: exit 130, no worker left, the resume line said', async () => {
    putBatch()
    const run = start(['run', 'b.yaml'], { CI: 'true' })
    const pid = await appears('b.pid')
    run.child.kill('SIGINT')
    const { code, out } = await run.ended
    expect(code).toBe(130)
    expect(out).toContain('Go on where it was: yardmaster run b.yaml')
    expect(isAlive(pid)).toBe(false)
  })

  test('a report folder that no system can make is refused at once, with exit 2 and nothing created', async () => {
    putBatch()
    const run = start(['run', 'b.yaml', '--report', '/proc/out'])
    const tooLong = new AbortController()
    void systemClock.sleep(60_000, tooLong.signal).then(
      () => run.child.kill('SIGKILL'),
      () => {},
    )
    const { code, err } = await run.ended
    tooLong.abort()
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('[RUN_REPORT_NOT_WRITTEN]') })
    expect(existsSync(inRoot('a.runs'))).toBe(false)
  })

  test('what our parts use of the system may fail, by Ctrl-C too, without a word of theirs on the screen', async () => {
    writeFileSync(inRoot('b.yaml'), JSON.stringify({ tasks: { a: { run: ['/bin/sleep', '3'] } } }))
    // No getconf: the sampler's first look asks it for the size of a page.
    const { code, err } = await start(['run', 'b.yaml'], { PATH: inRoot('nothing') }).ended
    expect({ code, err }).toEqual({ code: 0, err: '' })
  })

  test('a second signal does not wait for a worker that ignores the first', async () => {
    putBatch("trap '' TERM; ", { grace: '5m' })
    const run = start(['run', 'b.yaml'])
    const pid = await appears('b.pid')
    const startedMs = performance.now()
    run.child.kill('SIGTERM')
    await run.says('Stopping')
    run.child.kill('SIGTERM')
    expect((await run.ended).code).toBe(130)
    expect(performance.now() - startedMs).toBeLessThan(60_000) // the ladder alone would wait five minutes
    expect(isAlive(pid)).toBe(false)
  })

  test('SIGHUP: it goes on without its terminal, to its verdict, and says so in its log', async () => {
    putBatch()
    const run = start(['run', 'b.yaml'])
    await appears('b.pid')
    run.child.kill('SIGHUP')
    writeFileSync(inRoot('go'), '')
    expect(await run.ended).toMatchObject({ code: 0 })
    const [name = ''] = readdirSync(inRoot('home/run'))
    const log = readFileSync(inRoot(`home/run/${name}/log/run.log`), 'utf8')
    expect(log).toContain('The terminal is gone; B1 goes on without it.')
    expect(log).toContain('B1 b: all done, exit 0')
  })

  test('kill -9 loses no report; the same line again adopts what lives, goes on, and repeats nothing', async () => {
    putBatch()
    const run = start(['run', 'b.yaml', '--report', 'out'])
    const pid = await appears('b.pid')
    await run.says('done [done]')
    run.child.kill('SIGKILL')
    await run.ended
    expect(readFileSync(inRoot('out/report.md'), 'utf8')).toMatch(/^# B1 b is not over/)
    expect(JSON.parse(readFileSync(inRoot('out/report.json'), 'utf8'))).toMatchObject({ exit_code: null })
    expect(XMLValidator.validate(readFileSync(inRoot('out/junit.xml'), 'utf8'))).toBe(true)
    expect(isAlive(pid)).toBe(true)

    const again = start(['run', 'b.yaml', '--report', 'out'])
    await again.says('goes on where it was')
    writeFileSync(inRoot('go'), '')
    const { code, out } = await again.ended
    expect(out).toContain('B1 b: all done, exit 0')
    expect(code).toBe(0)
    expect(readFileSync(inRoot('a.runs'), 'utf8')).toBe('ran\n')
    expect(readFileSync(inRoot('b.runs'), 'utf8')).toBe('ran\n')
  })

  test('--orphans die: kill -9 takes the workers with it', async () => {
    putBatch()
    const run = start(['run', 'b.yaml', '--orphans', 'die'])
    const pid = await appears('b.pid')
    run.child.kill('SIGKILL')
    await run.ended
    await waitFor(() => expect(isAlive(pid)).toBe(false))
  })
})
