// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of ours look like it
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openPlace, type Place } from './a-place.ts'

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(async () => {
  await place[Symbol.asyncDispose]()
})

describe('run without a hub', () => {
  test('works the batch here, says each end, keeps the report and answers the verdict', async () => {
    place.put(
      'b.yaml',
      `name: small
tasks:
  a: { run: echo hello }
  b: { run: [sh, -c, "echo its cause; exit 3"] }
  c: { matrix: { file: { glob: "*.txt" } }, run: 'cat "$file"', needs: a }
  d: { run: [echo, "got \${{ needs.a.result }}"], needs: a }
`,
    )
    place.put('one.txt', 'first\n')
    const { code, out, err } = await place.type(['run', 'b.yaml', '--report', 'out'])
    expect(err).toBe('')
    expect(code).toBe(3)
    expect(out).toContain('B1 small  4 tasks\n')
    expect(out).toMatch(/T1 {4}a +done \[done\] +\S+ +hello\n/)
    expect(out).toMatch(/T2 {4}b +failed \[failed\] +\S+ +its cause {2}\(.*\)\n/)
    expect(out).toMatch(/c\[one\.txt\] +done \[done\] +\S+ +first\n/)
    expect(out).toContain('B1 small: 1 failed of 4, exit 3\n  E1 1 × [failed] its cause\n')
    expect(out).toContain('Report: out/report.md out/junit.xml\nLook closer: export YARDMASTER_HOME=')
    expect(place.read('out/report.md')).toContain('# B1 small: 1 failed of 4, exit 3')
    expect(place.read('out/report.md')).toContain('got hello')
    expect(place.read('out/report.md')).toMatch(
      /which the other verbs must be told: `export YARDMASTER_HOME=\S+\/run\/small-\w+`/,
    )
    expect(place.read('out/report.md')).toContain('What failed, again: `yardmaster run ')
    expect(JSON.parse(place.read('out/report.json'))).toMatchObject({ exit_code: 3, counts: { done: 3, failed: 1 } })
    expect(place.read('out/junit.xml')).toContain('<testcase name="one.txt" classname="c" file="one.txt"')
  })

  test('goes on where it was also in the home that its report tells people to export', async () => {
    place.put('b.yaml', 'name: small\ntasks: { a: { run: echo again >> a.txt }, b: { run: "test -e b.txt" } }')
    expect((await place.type(['run', 'b.yaml', '--report', 'out'])).code).toBe(3)
    const [, home = ''] = /export YARDMASTER_HOME=(\S+)`/.exec(place.read('out/report.md')) ?? []
    place.put('b.txt', '')
    const again = await place.type(['run', 'b.yaml', '--failed'], { home })
    expect(again).toMatchObject({ code: 0, err: '' })
    expect(again.out).toContain('B1 small: all done, exit 0')
    expect(place.read('a.txt')).toBe('again\n')
    expect(readdirSync(home)).not.toContain('run')
  })

  test('draws a picture on a terminal and leaves the ends that need a look', async () => {
    place.put('b.yaml', 'tasks: { a: { run: "true" }, b: { run: "false" } }')
    const { code, out } = await place.type(['run', 'b.yaml'], { terminal: 100 })
    expect(code).toBe(3)
    expect(out).toContain('\u001b[?2026h')
    expect(out).toMatch(/T2 {4}b +failed \[failed\]/)
    expect(out).not.toMatch(/T1 {4}a +done/)
    expect(out).toContain('B1 b: 1 failed of 2, exit 3')
  })

  test('with --json answers one document, and progress goes to the other stream', async () => {
    place.put('b.yaml', 'tasks: { a: { run: "true" } }')
    const { code, out, err } = await place.type(['run', 'b.yaml', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ exit_code: 0, tasks: [{ key: 'a', status: 'done' }] })
    expect(err).toContain('done [done]')
  })

  test('says nothing but the verdict with -q', async () => {
    place.put('b.yaml', 'tasks: { a: { run: "true" } }')
    expect(await place.type(['run', 'b.yaml', '-q'])).toEqual({ code: 0, out: 'B1 b: all done, exit 0\n', err: '' })
  })

  test('takes a batch from standard input', async () => {
    const { code, out } = await place.type(['run', '-'], { stdin: 'name: piped\ntasks: { a: { run: pwd } }' })
    expect(code).toBe(0)
    expect(out).toContain('B1 piped  1 task\n')
    expect(out).toContain(place.dir)
  })

  test('-j is how many work at once', async () => {
    const marks = 'echo + >> marks; sleep 0.3; echo - >> marks'
    place.put('b.yaml', JSON.stringify({ tasks: { t: { matrix: { n: [1, 2, 3] }, run: marks } } }))
    expect((await place.type(['run', 'b.yaml', '-j', '1', '--report', 'out'])).code).toBe(0)
    expect(place.read('marks')).toBe('+\n-\n'.repeat(3))
  })
})

describe('what is refused before anything is created', () => {
  const nothing = () => expect(place.has('../home')).toBe(false)

  test('a bad file: every fault with its line, exit 2', async () => {
    place.put('b.yaml', 'limits: { slot: 3 }\ntasks:\n  a: { rum: x }\n  b: { run: x, lane: tset }\n')
    const { code, out, err } = await place.type(['run', 'b.yaml'])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain('b.yaml:1  limits.slot is not known: did you mean slots?')
    expect(err).toContain('b.yaml:3  tasks.a.rum is not known: did you mean run?')
    expect(err).toContain('b.yaml:4  tasks.b.lane names no lane: tset')
    expect(err).toContain('nothing was created')
    nothing()
  })

  test('a lane without its key', async () => {
    place.put('yardmaster.yaml', 'lanes: { chat: { model: m } }')
    place.put('b.yaml', 'tasks: { a: { prompt: hi }, b: { prompt: ho } }')
    const { code, err } = await place.type(['run', 'b.yaml'])
    expect(code).toBe(2)
    expect(err).toContain(
      'lane chat is not ready (no key for account openai: OPENAI_API_KEY is not set), and 2 tasks need it',
    )
    nothing()
  })

  test('--detach without a hub', async () => {
    place.put('b.yaml', 'tasks: { a: { run: "true" } }')
    const { code, err } = await place.type(['run', 'b.yaml', '--detach'])
    expect(code).toBe(2)
    expect(err).toContain('yardmaster up -d')
    nothing()
  })

  test('a file that is there twice, and a configuration with faults', async () => {
    place.put('yardmaster.yaml', 'slotz: 3')
    place.put('b.yaml', 'tasks: { a: { run: "true" } }')
    expect(await place.type(['run', 'b.yaml'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('CONFIG_INVALID'),
    })
    nothing()
  })

  test('--dry-run reads everything, warns, and creates nothing', async () => {
    place.put('b.yaml', 'limits: { slots: 9 }\ntasks: { a: { prompt: hi }, b: { matrix: { x: [1, 2] }, run: "true" } }')
    const { code, out } = await place.type(['run', 'b.yaml', '--dry-run'])
    expect(code).toBe(0)
    expect(out).toBe(`3 tasks: a 1 (chat, scratch), b 2 (command). Order: by priority, then file. No cycles.
Limits: slots 9.
Warning: lane chat is not ready (no model: write lanes.chat.model in yardmaster.yaml); 1 task would wait for it.
Warning: limits.slots is 9, and the batch has 3 tasks.
Nothing was created.
`)
    nothing()
  })

  test('a folder for the report that cannot be', async () => {
    place.put('b.yaml', 'tasks: { a: { run: touch ran } }')
    place.put('out', 'a file')
    const { code, err } = await place.type(['run', 'b.yaml', '--report', 'out'])
    expect(code).toBe(2)
    expect(err).toContain('[RUN_REPORT_NOT_WRITTEN]')
    nothing()
  })
})

test('a report that cannot be written once the batch has run is our fault: exit 1, and how it is read all the same', async () => {
  // The folder may be made anew at any moment: a file takes its place for good only by a rename.
  place.put('b.yaml', 'tasks: { a: { run: "touch f; until rm -rf out && mv -T f out; do :; done" } }')
  const { code, err } = await place.type(['run', 'b.yaml', '--report', 'out'])
  expect(code).toBe(1)
  expect(err).toMatch(/: E[A-Z]+: [^;]+; the batch itself is on record \[RUN_REPORT_LOST\]\n/)
  const [, home = '', batch = ''] = /fix: read it here: YARDMASTER_HOME=(\S+) yardmaster report (B1)\n/.exec(err) ?? []
  expect((await place.type(['report', batch], { env: { YARDMASTER_HOME: home } })).out).toContain(
    '# B1 b: all done, exit 0',
  )
})

describe('which batch it is (files-and-cli section 5)', () => {
  const counting = 'tasks: { a: { run: echo ran >> a.runs }, b: { run: "echo ran >> b.runs; test -e go" } }'

  test('after a verdict without a key a new batch starts; --failed goes on with the old one', async () => {
    place.put('b.yaml', counting)
    expect((await place.type(['run', 'b.yaml'])).out).toContain('B1 b: 1 failed of 2')
    place.put('go', '')
    const failed = await place.type(['run', 'b.yaml', '--failed'])
    expect(failed).toMatchObject({ code: 0 })
    expect(failed.out).toContain('B1 b goes on where it was; what is done stays done.')
    expect(place.read('a.runs')).toBe('ran\n')
    expect(place.read('b.runs')).toBe('ran\nran\n')
    expect((await place.type(['run', 'b.yaml'])).out).toContain('B2 b: all done, exit 0')
  })

  test('a finished batch of the same key prints its report and exits with its own code again', async () => {
    place.put('b.yaml', counting)
    const first = await place.type(['run', 'b.yaml', '--key', 'k'])
    const again = await place.type(['run', 'b.yaml', '--key', 'k'])
    expect([first.code, again.code]).toEqual([3, 3])
    expect(again.out).toContain('B1 b: 1 failed of 2, exit 3')
    expect(place.read('b.runs')).toBe('ran\n')
    expect(await place.type(['run', 'b.yaml', '--key', 'k', '--new'])).toMatchObject({ code: 2 })
  })

  test('what is done and changed since is named, and --redo repeats it', async () => {
    place.put('b.yaml', 'key: k\ntasks: { a: { run: echo one >> a.runs }, b: { run: "false" } }')
    await place.type(['run', 'b.yaml'])
    place.put('b.yaml', 'key: k\ntasks: { a: { run: echo two >> a.runs }, b: { run: "false" } }')
    const resumed = await place.type(['run', 'b.yaml', '--failed'])
    expect(resumed.out).toContain(
      'Done before they or what they need changed in the file, and not repeated: a. Repeat one: --redo KEY',
    )
    expect(place.read('a.runs')).toBe('one\n')
    await place.type(['run', 'b.yaml', '--redo', 'a'])
    expect(place.read('a.runs')).toBe('one\ntwo\n')
  })
})

describe('a run that is cut off', () => {
  const waits =
    'tasks: { a: { run: echo ran >> a.runs }, b: { needs: a, rerun: auto, run: "echo ran >> b.runs; test -e go || exec sleep 60" } }'

  test('Ctrl-C ends what runs, leaves with 130 and the line that goes on; nothing done is repeated', async () => {
    place.put('b.yaml', waits)
    const interrupt = new AbortController()
    const running = place.type(['run', 'b.yaml'], { interrupt: interrupt.signal })
    await place.appears('b.runs')
    interrupt.abort()
    const { code, out } = await running
    expect(code).toBe(130)
    expect(out).toContain('Stopping: what runs is ended and goes back to waiting.')
    expect(out).toMatch(/B1 b is not over: 1 of 2 ended/)
    expect(out).toContain('Interrupted: exit 130. Go on where it was: yardmaster run b.yaml\n')

    place.put('go', '')
    const again = await place.type(['run', 'b.yaml'])
    expect(again).toMatchObject({ code: 0 })
    expect(again.out.match(/B1 b goes on/g)).toHaveLength(1)
    expect(again.out).toContain('B1 b goes on where it was; what is done stays done.')
    expect(place.read('a.runs')).toBe('ran\n')
    expect(place.read('b.runs')).toBe('ran\nran\n')
  })

  test('while it runs, a second run of the file is refused with the pid and the fix, and others can look on', async () => {
    place.put('b.yaml', waits)
    const interrupt = new AbortController()
    const running = place.type(['run', 'b.yaml', '--report', 'out'], {
      interrupt: interrupt.signal,
    })
    await place.appears('b.runs')
    const second = await place.type(['run', 'b.yaml'])
    expect(second.code).toBe(2)
    expect(second.err).toContain(`b.yaml is being run already (pid ${process.pid})`)
    expect(second.err).toContain('yardmaster watch b')
    const report = await place.type(['report', 'b'])
    expect(report.out).toMatch(/^# B1 b is not over: 1 of 2 ended, 1 running\n/)
    expect(place.read('out/report.md')).toContain('# B1 b is not over')
    interrupt.abort()
    expect((await running).code).toBe(130)
  })

  test('its time being over is a verdict: exit 9, and --resume goes on', async () => {
    place.put('b.yaml', waits)
    const { code, out } = await place.type(['run', 'b.yaml', '--timeout', '700ms', '-j', '2'])
    expect(code).toBe(9)
    expect(out).toMatch(/exit 9\n/)
    place.put('go', '')
    expect(await place.type(['run', 'b.yaml', '--resume', '--timeout', '1m'])).toMatchObject({ code: 0 })
  })
})

test('private homes are one for each path', async () => {
  place.put('x/b.yaml', 'tasks: { a: { run: "true" } }')
  place.put('y/b.yaml', 'tasks: { a: { run: "true" } }')
  await place.type(['run', 'x/b.yaml'])
  await place.type(['run', 'y/b.yaml'])
  expect(readdirSync(join(place.home, 'run'))).toHaveLength(2)
})
