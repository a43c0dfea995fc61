import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { systemRandom } from '../../../src/kernel/index.ts'
import { fixture, openSupervised, ways } from './supervised.ts'

const token = `ymr_R981_${systemRandom.hex(32)}`
const readsToken = [process.execPath, fixture('reads-token.mjs')]

describe.each(ways)('with the C library: %s', (libc) => {
  test('a worker whose lane wants a token finds it, whole and nothing else, in its descriptor 3', async () => {
    const yard = await openSupervised({ libc })
    const { run } = yard.run(readsToken, { token })
    expect(await yard.exited(run)).toMatchObject({ record: { kind: 'code', code: 0 } })
    expect(yard.log(run)).toBe(`token <${token}>\n`)
  })

  test('a worker whose lane wants none has no descriptor 3', async () => {
    const yard = await openSupervised({ libc })
    const { run } = yard.run(['/bin/sh', '-c', 'cat <&3'])
    await yard.exited(run)
    expect(yard.log(run)).toMatch(/3: Bad file descriptor/)
  })

  test('a token stands in no environment, no argument and no file of the run', async () => {
    const yard = await openSupervised({ libc })
    const { run, pid, runDir } = yard.run(['/bin/sh', '-c', 'echo "worker $$"; exec sleep 300'], { token })
    const worker = Number((await yard.said(run, /worker (\d+)/))[1])
    const open = [pid, worker].flatMap((each) => [`/proc/${each}/environ`, `/proc/${each}/cmdline`])
    const files = readdirSync(runDir).map((name) => `${runDir}/${name}`)
    for (const path of [...open, ...files]) expect(readFileSync(path, 'latin1')).not.toContain(token)
  })

  test('a worker that never reads its token ends as any other, and its end is told', async () => {
    const yard = await openSupervised({ libc })
    const { run } = yard.run(['/bin/sh', '-c', 'exit 9'], { token })
    expect(await yard.exited(run)).toMatchObject({ wait: { kind: 'code', code: 9 } })
    await yard.swept(run)
  })

  test('a run that is sent away from its gate never had its token', async () => {
    const yard = await openSupervised({ libc })
    const order = yard.order(readsToken, { token })
    yard.supervisor.launch(order)
    yard.supervisor.discard(order.run)
    expect(await yard.exited(order.run)).toMatchObject({ record: 'never', wait: null })
    expect(yard.log(order.run)).toBe('')
  })
})
