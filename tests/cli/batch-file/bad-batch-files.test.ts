// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of ours look like it
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type BatchFolder, openBatchFolder } from './batch-folder.ts'

let folder: BatchFolder
beforeEach(() => {
  folder = openBatchFolder()
})
afterEach(() => {
  folder[Symbol.dispose]()
})

test('faults in different lines are all reported in one answer, each with its line', async () => {
  expect(
    await folder.faults(`name: x
limits: { slot: 4 }
tasks:
  build: { run: make, prompt: Make it }
  lint:
    needs: biuld
    run: make lint
  test:
    lane: test
    run: make test
    timeout: 20
  docs:
    matrix: { f: { glob: "docs/*.md" } }
    run: [cat, "\${{ matrix.g }}"]
`),
  ).toEqual([
    '2: limits.slot is not known: did you mean slots?',
    '4: tasks.build has both prompt and run: keep one of them',
    '11: tasks.test.timeout must be a duration such as 30s, 20m or 5h, longer than nothing, not 20: change it',
    expect.stringContaining('13: tasks.docs.matrix.f matches nothing: docs/*.md'),
    '9: tasks.test.lane names no lane: test: did you mean tests?',
    '6: tasks.lint.needs needs biuld, which is no task of this file: did you mean build?',
  ])
})

test('the error names the file, counts its faults and says that nothing was created', async () => {
  const fault = await folder.read('tasks: {}').catch((thrown) => thrown)
  expect(fault).toMatchObject({
    code: 'BATCH_FILE_INVALID',
    status: 400,
    message: 'batch.yaml has 1 fault:\n  batch.yaml:1  tasks has no tasks: write at least one under tasks:',
    fix: 'mend the lines named above; nothing was created',
  })
})

describe('a file that is no batch', () => {
  test.each([
    ['', '1: has no tasks'],
    ['# only words', '1: has no tasks'],
    ['name: x', '1: tasks has no tasks'],
    ['tasks:', '1: tasks has no tasks'],
    ['hello', '1: must be a map'],
    ['tasks: [a, b]', '1: tasks must be a map of keys, not a list'],
    ['tasks: { a: { run: x }', '1: is not YAML'],
    ['tasks:\n  a: { run: x }\n  a: { run: y }', '3: has the key a again, which is on line 2 already'],
  ])('%j', async (text, says) => {
    expect((await folder.faults(text))[0]).toContain(says)
  })

  test('a key that stands twice does not hide what else is wrong', async () => {
    expect(await folder.faults('tasks:\n  a: { run: x }\n  a: { run: y }\n  b: { rum: z }\n')).toEqual([
      expect.stringContaining('3: has the key a again'),
      expect.stringContaining('4: tasks.b.rum is not known'),
      expect.stringContaining('4: tasks.b'),
    ])
  })

  test('a file that is not there is named', async () => {
    await expect(folder.read('', { file: 'gone.yaml' })).rejects.toMatchObject({
      code: 'BATCH_FILE_NOT_READ',
      message: 'gone.yaml cannot be read: there is no such file',
    })
  })

  test('JSONL with lines that are no tasks, or with a key twice, is refused line by line', async () => {
    folder.put('x.jsonl', '{"key":"a","run":"true"}\nnot json\n{"run":"true"}\n{"key":"a","run":"false"}\n')
    expect(await folder.faults('', { file: 'x.jsonl' })).toEqual([
      'x.jsonl 2: is not a JSON object: write one task a line, as JSON with "key"',
      'x.jsonl 3: has no key: give each line a "key" of its own',
      'x.jsonl 4: tasks.a is there already, on line 1: give one of them another key',
    ])
  })

  test('faults of JSONL tasks carry the line of the task', async () => {
    const stdinText = '{"key":"a","run":"true"}\nnot json\n{"run":"true"}\n'
    expect(await folder.faults('', { file: '-', stdinText })).toEqual([
      'standard input 2: is not a JSON object: write one task a line, as JSON with "key"',
      'standard input 3: has no key: give each line a "key" of its own',
    ])
    folder.put('x.jsonl', '{"key":"a","run":"true"}\n{"key":"b","rum":"true"}\n')
    expect((await folder.faults('', { file: 'x.jsonl' }))[0]).toBe(
      'x.jsonl 2: tasks.b.rum is not known: did you mean run?',
    )
  })
})

test('a need that names nothing is shown what there is, each name once', async () => {
  const alpha = 'alpha: { run: [echo, "${{ matrix.x }}"] }'
  expect(await folder.faults(`tasks: { ${alpha}, beta: { run: x, needs: qqqq } }`)).toContain(
    '1: tasks.beta.needs needs qqqq, which is no task of this file: known here: alpha, beta',
  )
})

describe('a task that cannot be', () => {
  test.each([
    ['a: { run: x, prompt: y }', 'tasks.a has both prompt and run'],
    ['a: { title: x }', 'tasks.a has neither prompt nor run'],
    ['a: { run: x, takse: [y] }', 'tasks.a.takse is not known: did you mean takes? It is not available yet'],
    ['a: { run: x, takes: [y] }', 'tasks.a.takes is not available yet'],
    ['a: { run: x, check: { run: y, timeout: 999999999d } }', 'tasks.a.check.timeout (999999999d) is more than can'],
    ['a: { prompt: x, check: "test ${{ matrix.f }}" }', 'tasks.a.check is text for a shell and holds a placeholder'],
    ['a: { prompt: x, workspace: { setup: "${{ task.id }}" } }', 'tasks.a.workspace.setup is text for a shell and'],
    ['a: { prompt: x, check: [test, "${{ task.idd }}"] }', 'tasks.a.check[1] holds ${{ task.idd }}, which is not'],
    ['a: { prompt: x, review: pearson }', 'tasks.a.review names no lane: pearson: did you mean person?'],
    ['a: { prompt: x, may_change: ["${{ matrix.f }}"] }', 'tasks.a.may_change[0] holds ${{ matrix.f }}, which is not'],
    ['a: { prompt: x, workspace: { dir: x, setup: y } }', 'tasks.a.workspace.setup does not go with dir: keep one'],
    ['a: { prompt: x, workspace: { ref: "a..b" } }', 'tasks.a.workspace.ref names no branch, tag or commit: "a..b"'],
    [
      'a: { prompt: x, workspace: { ref: "${{ needs.b.branch }}" } }',
      'tasks.a.workspace.ref holds ${{ needs.b.branch }}, and this task does not need b: add needs: b',
    ],
    [
      'a: { prompt: x, needs: b, workspace: { ref: "${{ needs.b.result }}" } }, b: { run: x }',
      'tasks.a.workspace.ref holds ${{ needs.b.result }}: write needs.TASK.FIELD; FIELD is branch, commit',
    ],
    [
      'b: { matrix: { x: [1, 2] }, run: x }, a: { prompt: x, needs: b, workspace: { ref: "${{ needs.b.branch }}" } }',
      'tasks.a.workspace.ref holds ${{ needs.b.branch }}, and b stands for 2 rows, each with a branch of its own',
    ],
    [
      'a: { matrix: { f: [../x] }, prompt: x, may_change: ["${{ matrix.f }}"] }',
      "tasks.a row a[../x]: may_change[0] must be a path or glob from the repository's top folder",
    ],
    [
      'a: { matrix: { r: ["--all"] }, prompt: x, workspace: { ref: "${{ matrix.r }}" } }',
      'tasks.a row a[--all]: workspace.ref begins like an option',
    ],
    ['a: { run: x, lane: chat }', 'tasks.a.lane (chat) is for prompts, and this task has run'],
    [
      'a: { prompt: { file: gone.md } }',
      'tasks.a.prompt.file names gone.md, which cannot be read: there is no such file',
    ],
    ['a: { run: x, start_after: 2026-02-31 }', 'tasks.a.start_after (2026-02-31) is in no calendar'],
    ['a: { run: x, timeout: 999999999d }', 'tasks.a.timeout (999999999d) is more than can be counted'],
    ['a: { run: x, memory: 99999999999TiB }', 'tasks.a.memory (99999999999TiB) is more than can be counted'],
    ['a: { run: x, memory: 1KiB }', 'tasks.a.memory (1KiB) is less than 8 MiB: raise it'],
    ['a: { run: x, log_limit: 1KiB }', 'tasks.a.log_limit (1KiB) is less than 256 KiB: raise it'],
    ['a: { run: [] }', 'tasks.a.run is empty'],
    ['a: { run: "" }', 'tasks.a.run must be'],
    ['a: { run: x, env: { "1A": y } }', 'tasks.a.env.1A is no name that may stand here'],
  ])('%s', async (task, says) => {
    expect((await folder.faults(`tasks: { ${task} }`))[0]).toContain(says)
  })
})

test('what is no amount at all is told once', async () => {
  expect(await folder.faults('tasks: { a: { run: x, timeout: 10x, memory: 10x, log_limit: "" } }')).toHaveLength(3)
})

test('an amount in defaults that no attempt could start with is told there, before anything is created', async () => {
  expect(await folder.faults('defaults: { memory: 1KiB }\ntasks: { a: { run: x } }')).toEqual([
    '1: defaults.memory (1KiB) is less than 8 MiB: raise it, or take it out',
  ])
})

describe('needs that cannot be met', () => {
  test('a cycle is named all around, a task that needs itself too', async () => {
    expect(
      await folder.faults('tasks:\n  a: { run: x, needs: c }\n  b: { run: x, needs: a }\n  c: { run: x, needs: b }'),
    ).toEqual(['2: tasks.a.needs waits for itself: a needs c needs b needs a: take one of these needs out'])
    expect((await folder.faults('tasks: { a: { run: x, needs: a } }'))[0]).toContain('waits for itself: a needs a')
  })

  test('a need on a row that is not there names the nearest row', async () => {
    expect(
      (await folder.faults('tasks: { a: { run: x, matrix: { n: [18, 20] } }, b: { run: x, needs: "a[19]" } }'))[0],
    ).toContain('needs a[19], which is no task of this file: did you mean a[18]?')
  })

  test('a need on a task with faults of its own is no second fault', async () => {
    expect(
      await folder.faults('tasks: { a: { run: x, matrix: { f: { glob: "no/*" } } }, b: { run: x, needs: a } }'),
    ).toEqual([expect.stringContaining('matches nothing')])
  })

  test('a chain of 5,000 tasks is no cycle and is read without running out of stack', async () => {
    const tasks = Array.from({ length: 5_000 }, (_, n) => [
      `t${n}`,
      { run: 'x', ...(n === 4_999 ? {} : { needs: `t${n + 1}` }) },
    ])
    const { body } = await folder.read(JSON.stringify({ tasks: Object.fromEntries(tasks) }))
    expect(body.tasks).toHaveLength(5_000)
  })
})

describe('placeholders that mean nothing', () => {
  test.each([
    ['prompt: "${{ matrx.f }}"', 'holds ${{ matrx.f }}, and matrx is not known: did you mean matrix?'],
    ['prompt: "${{ matrix.fiel }}"', 'holds ${{ matrix.fiel }}, which is not known: did you mean matrix.file?'],
    ['run: [x, "${{ task.promptfile }}"]', 'did you mean task.prompt_file?'],
    ['prompt: "${{ env.HOME }}"', 'holds ${{ env.HOME }}, which is not known here: env is known in name, key, matrix'],
    ['run: x, title: "${{ task.id }}"', 'holds ${{ task.id }}, which is not known here'],
    ['prompt: "${{ event.text }}"', 'event is known in notify alone, which is not available yet'],
    ['prompt: "${{ needs.build.result }}"', 'this task does not need build: add needs: build'],
    ['prompt: "${{ needs.build.reslt }}"', 'write needs.TASK.FIELD; FIELD is result, outcome, output'],
    ['prompt: "${{ matrix.file"', 'has an opening brace pair without its end'],
  ])('%s', async (field, says) => {
    const [fault] = await folder.faults(`tasks: { a: { matrix: { file: [x] }, ${field} }, build: { run: x } }`)
    expect(fault).toContain(says)
  })

  test('in a prompt file they are named with that file and line', async () => {
    folder.put('p.md', 'Hello\n\nthe ${{ matrix.nam }}\n')
    expect(await folder.faults('tasks: { a: { matrix: { name: [x, y] }, prompt: { file: p.md } } }')).toEqual([
      'p.md 3: holds ${{ matrix.nam }}, which is not known: did you mean matrix.name?',
    ])
  })

  test('defaults know only env, and only in the workspace', async () => {
    expect(
      await folder.faults('defaults: { env: { A: "${{ matrix.f }}" } }\ntasks: { a: { matrix: { f: [x] }, run: x } }'),
    ).toEqual([expect.stringContaining('1: defaults.env.A holds ${{ matrix.f }}, which is not known here')])
  })
})

describe('a matrix that cannot be', () => {
  test.each([
    ['{ F: [x] }', 'tasks.a.matrix.F is no name that may stand here: axes: lower case'],
    ['{ include: [{ f: x }] }', 'tasks.a.matrix.include is no name that may stand here'],
    ['{ f: [] }', 'tasks.a.matrix.f is empty'],
    ['{}', 'tasks.a.matrix has no axis'],
    ['{ f: [x, y, x] }', 'tasks.a.matrix has x twice'],
    ['{ f: [x], exclude: [{ f: x }] }', 'tasks.a.matrix.exclude leaves no row'],
    ['{ f: [x, y], exclude: [{ g: x }] }', 'tasks.a.matrix.exclude[0].g is no axis of this matrix: known here: f'],
    ['{ r: [{ n: "${{ env.NOPE }}", v: 2 }] }', 'tasks.a.matrix.r holds ${{ env.NOPE }}, and NOPE is not set'],
    ['{ f: [x, y], exclude: [{ f: "${{ env.NOPE }}" }] }', 'tasks.a.matrix.exclude[0] holds ${{ env.NOPE }}'],
    ['{ f: ["a\\0b"] }', 'tasks.a.matrix.f holds a NUL byte'],
    ['{ f: { glob: "*.x", form: y } }', 'tasks.a.matrix.f.form is not known'],
  ])('%s', async (matrix, says) => {
    expect((await folder.faults(`tasks: { a: { run: "true", matrix: ${matrix} } }`)).join('\n')).toContain(says)
  })

  test('a product that nobody meant is refused before it fills the memory', async () => {
    const axis = JSON.stringify(Array.from({ length: 100 }, (_, n) => n))
    const [fault] = await folder.faults(`tasks: { a: { run: x, matrix: { x: ${axis}, y: ${axis}, z: ${axis} } } }`)
    expect(fault).toContain('tasks.a.matrix makes 1000000 rows: keep it under 100000')
  })

  test('two tasks that make the same key are refused', async () => {
    expect((await folder.faults('tasks: { a: { run: x, matrix: { f: [1] } }, "a[1]": { run: x } }'))[0]).toContain(
      'makes the key a[1], which another task has',
    )
  })
})

describe('what a hub would refuse is said before it is asked', () => {
  const long = 'x'.repeat(300)
  test.each([
    ['name: "a\\tb"', '1: name must be one line without control characters'],
    ['key: "a\\nb"', '1: key must be one line without control characters'],
    ['name: ${{ env.LONG }}', '1: name has 300 characters, and at most 100 may stand there'],
    ['key: ${{ env.LINES }}', '1: key must be one line without control characters, not "a\\nb"'],
    ['name: ${{ env.EMPTY }}', '1: name must be one line without control characters, not ""'],
    ['limits: { timeout: 999999999d }', '1: limits.timeout (999999999d) is more than can be counted'],
    ['limits: { slots: 1e300 }', '1: limits.slots must be a whole number from 1 to 1000000'],
  ])('%s', async (line, says) => {
    const env = { PATH: process.env.PATH, LONG: long, LINES: 'a\nb', EMPTY: '' }
    expect(await folder.faults(`${line}\ntasks: { a: { run: x } }`, { env })).toEqual([expect.stringContaining(says)])
  })

  test('a key of a task is one line', async () => {
    expect(await folder.faults('tasks: { "a\\nb": { run: x } }')).toEqual([
      expect.stringContaining('is no name that may stand here: keys of tasks: one line each'),
    ])
  })
})

describe('flags that name nothing', () => {
  const text = 'tasks: { a: { run: "true", matrix: { file: [x] } } }'
  test('are refused with the nearest name', async () => {
    folder.put('f.txt', 'y')
    expect(await folder.faults(text, { matrix: ['fiel=f.txt'] })).toEqual([
      '--matrix fiel -: names no axis of this file: did you mean file?',
    ])
    expect(await folder.faults(text, { redo: ['a[y]'] })).toEqual([
      '--redo a[y] -: names no row of this file: did you mean a[x]?',
    ])
    expect((await folder.faults(text, { set: ['limits.slot=3'] }))[0]).toContain('limits.slot is not known')
    await expect(folder.read(text, { set: ['limits'] })).rejects.toMatchObject({ code: 'CLI_BAD_USE' })
  })

  test('a fault in what a flag says names that flag, also where it made the place, and no line of the file', async () => {
    const text = 'tasks: { a: { run: "true" } }'
    expect(await folder.faults(text, { set: ['tasks.a.attempts=0', 'x.timeout=5s'] })).toEqual([
      expect.stringMatching(/^--set tasks\.a\.attempts=0 .*: tasks\.a\.attempts must be a whole number/),
      expect.stringMatching(/^--set x\.timeout=5s .*: x is not known/),
    ])
    expect(await folder.faults(text, { timeout: '5' })).toEqual([
      expect.stringMatching(/^--timeout 5 .*: limits\.timeout must be a duration/),
    ])
  })

  test('what is wrong as it is written is told once, and not again of its first row', async () => {
    const wrong = 'tasks: { a: { prompt: x, workspace: { ref: "-x" } } }'
    expect(await folder.faults(wrong)).toEqual([expect.stringContaining('tasks.a.workspace.ref begins like an option')])
  })

  test('--set with a name that is special in JavaScript is an unknown key like any other', async () => {
    expect((await folder.faults(text, { set: ['__proto__.polluted=1'] }))[0]).toContain('__proto__ is not known')
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })
})
