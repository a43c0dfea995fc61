import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { processesWith } from './processes.ts'
import { startProduct } from './product.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'yardmaster-examples-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const env = () => ({ YARDMASTER_HOME: join(folder, 'home') })

interface Row {
  readonly key: string
  readonly status: string
  readonly last_run: { readonly output_tail: string | null; readonly result_tail: string | null } | null
}

/** Runs an example to its end and answers its exit code, what it printed, and the rows of its report. */
async function runExample(file: string, flags: readonly string[] = []) {
  const product = startProduct(['run', file, '--report', join(folder, 'out'), ...flags], env())
  const code = await product.ended
  const said = product.stdout() + product.stderr()
  const { tasks } = JSON.parse(readFileSync(join(folder, 'out', 'report.json'), 'utf8')) as { tasks: readonly Row[] }
  return { code, said, tasks }
}

describe('the examples work on this repository', () => {
  test('a check for each source file, by matrix', async () => {
    const { code, said, tasks } = await runExample('examples/files/check-files.yaml')
    expect([code, said]).toEqual([0, expect.any(String)])
    expect(tasks.length).toBeGreaterThan(8)
    expect(tasks.map(({ key }) => key)).toContain('check[../../src/kernel/clock.ts]')
    expect(readFileSync(join(folder, 'out', 'junit.xml'), 'utf8')).toContain('src/kernel/clock.ts')
  })

  test('a chain that builds, tests and packs, each step with the results of those before', async () => {
    const { code, said, tasks } = await runExample('examples/chain/chain.yaml')
    expect([code, said]).toEqual([0, expect.any(String)])
    const sizes = tasks.find(({ key }) => key === 'sizes')
    const words = `${sizes?.last_run?.result_tail}`
    expect(words).toMatch(/kernel\.cjs has \d+ bytes and lies in yardmaster-kernel-example-1\.0\.0\.tgz/)
  })

  test('agents with tools, on a provider that plays a script', async () => {
    const provider = startProduct(['dev', 'rehearsal', 'examples/chat/scenario.yaml'], env())
    try {
      const address = /http:\/\/\S+\/v1/.exec(await provider.said('/v1'))?.[0] ?? ''
      const config = join(folder, 'yardmaster.yaml')
      writeFileSync(
        config,
        readFileSync('examples/chat/yardmaster.yaml', 'utf8').replace('http://127.0.0.1:8123/v1', address),
      )
      const { code, said, tasks } = await runExample('examples/chat/summaries.yaml', ['--config', config])
      expect([code, said]).toEqual([0, expect.any(String)])
      expect(tasks.find(({ key }) => key === 'gather')?.last_run?.result_tail).toContain('one line for each')
    } finally {
      provider.process.kill('SIGINT')
      await provider.ended
    }
    expect(processesWith(`YARDMASTER_HOME=${folder}`)).toEqual([])
  })
})
