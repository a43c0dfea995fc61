import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openPlace, type Place } from '../run/a-place.ts'

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(async () => {
  await place[Symbol.asyncDispose]()
})

/** What a runner of GitHub sets, the summary of the step beside the work. */
function underGithub(more: Record<string, string> = {}) {
  return {
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_STEP_SUMMARY: join(place.dir, 'summary'),
    GITHUB_WORKSPACE: place.dir,
    ...more,
  }
}

const commandsIn = (text: string) => text.split(/[\r\n]/).filter((line) => /^\s*::/.test(line) || line.includes('##['))

describe('run under GitHub', () => {
  test('leaves a summary and an annotation at the file of the row, and its exit code stays the verdict', async () => {
    mkdirSync(join(place.dir, 'src'))
    place.put('src/a.ts', 'a')
    place.put('src/b.ts', 'b')
    const lint = { matrix: { file: { glob: 'src/*.ts' } }, run: 'echo "TS2345: no, $file"; test "$file" = src/a.ts' }
    place.put('b.yaml', JSON.stringify({ tasks: { lint } }))
    const { code, err } = await place.type(['run', 'b.yaml', '--report', 'out'], { env: underGithub() })
    expect(code).toBe(3)
    expect(err).toBe(
      '::error file=src/b.ts,title=E1 1 task failed::TS2345: no, src/b.ts%0AT2. Look closer: yardmaster show T2\n',
    )
    expect(place.read('summary')).toMatch(/^# B1 b: 1 failed of 2, exit 3\n/)
    expect(place.read('summary')).toContain('```text\nTS2345: no, src/b.ts\n```')
  })

  test('nothing that a task prints or is called gives the runner a command, wherever we print it', async () => {
    const nasty = "printf '::error::mine\\n  ::add-mask::x\\n##[group]y\\n\\r::stop-commands::z\\n'; exit 1"
    const tasks = { a: { title: '::error::title', run: nasty }, 'b##[error]': { run: nasty } }
    place.put('b.yaml', JSON.stringify({ tasks }))
    const env = underGithub()
    const { code, out, err } = await place.type(['run', 'b.yaml'], { env })
    expect(code).toBe(3)
    expect(commandsIn(out)).toEqual([])
    expect(err).toMatch(/^(::error title=E\d \d tasks? failed::[^\r\n]*\n)+$/)
    expect(err).not.toContain('##[')
    const home = /YARDMASTER_HOME=(\S+);/.exec(out)?.[1] ?? ''
    for (const argv of [
      ['log', 'T1'],
      ['show', 'T1'],
      ['list', '--all'],
      ['report'],
      ['report', '--json'],
      ['list', '--json'],
    ]) {
      const said = await place.type(argv, { env: { ...env, YARDMASTER_HOME: home }, home })
      expect(said.code).toBe(0)
      expect(commandsIn(said.out + said.err)).toEqual([])
    }
    const json = await place.type(['show', 'T1', '--json'], { env, home })
    expect(JSON.parse(json.out).last_run.output_tail).toContain('##[group]y')
  })

  test('no secret of a task is told', async () => {
    place.put(
      'b.yaml',
      JSON.stringify({ tasks: { a: { run: 'echo "error: $MY_TOKEN"; exit 1', env: { MY_TOKEN: 's3cr3t-enough' } } } }),
    )
    const { out, err } = await place.type(['run', 'b.yaml', '--report', 'out'], { env: underGithub() })
    const all = [out, err, ...['summary', 'out/report.md', 'out/report.json', 'out/junit.xml'].map(place.read)]
    for (const text of all) expect(text).not.toContain('s3cr3t-enough')
    expect(err).toContain('::error ')
  })

  test('a step without a summary is no fault, nor is one that another step has filled', async () => {
    place.put('b.yaml', 'tasks: { a: { run: "true" } }')
    const { GITHUB_STEP_SUMMARY: _, ...none } = underGithub()
    expect(await place.type(['run', 'b.yaml'], { env: none })).toMatchObject({ code: 0, err: '' })
    writeFileSync(join(place.dir, 'summary'), Buffer.alloc(1024 * 1024, 'x'))
    const { code, err } = await place.type(['run', 'b.yaml'], { env: underGithub() })
    expect({ code, err }).toEqual({
      code: 0,
      err: 'No room is left in the summary of this step; the report is in its files.\n',
    })
    expect(readFileSync(join(place.dir, 'summary'))).toHaveLength(1024 * 1024)
  })

  test('under GitLab, and with CI alone, nothing of it is written', async () => {
    place.put('b.yaml', 'tasks: { a: { run: "false" } }')
    for (const env of [{ CI: 'true', GITLAB_CI: 'true' }, { CI: 'true' }]) {
      const summary = { GITHUB_STEP_SUMMARY: join(place.dir, 'summary') }
      expect(await place.type(['run', 'b.yaml'], { env: { ...env, ...summary } })).toMatchObject({ code: 3, err: '' })
      expect(place.has('summary')).toBe(false)
    }
  })
})
