// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of ours look like it
import { realpathSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { NewBatchBody, parseBody } from '../../../src/api/contract/index.ts'
import { type BatchFolder, openBatchFolder } from './batch-folder.ts'

let folder: BatchFolder
beforeEach(() => {
  folder = openBatchFolder()
})
afterEach(() => {
  folder[Symbol.dispose]()
})

const keysOf = async (text: string, more: Parameters<BatchFolder['read']>[1] = {}) =>
  (await folder.read(text, more)).body.tasks.map(({ key }) => key)
const taskOf = async (text: string, more: Parameters<BatchFolder['read']>[1] = {}) =>
  (await folder.read(text, more)).body.tasks[0]

describe('what a batch file reads as', () => {
  test('the file of the documentation, as far as this version goes, is what the API takes', async () => {
    folder.put('src/a.ts', '')
    folder.put('src/b.ts', '')
    folder.put('src/b.d.ts', '')
    folder.put('repos.txt', 'acme/web\nacme/legacy\nacme/api\n')
    folder.put('prompts/dates.md', 'Migrate ${{ matrix.repo }}, see ${{ needs.build.result }}.')
    folder.track()
    const { body } = await folder.read(
      `
name: migrate-dates
key: \${{ env.GITHUB_SHA }}
limits: { slots: 8, timeout: 5h, halt: 20%, on_wall: wait, first: 3 }
defaults: { lane: chat, timeout: 30m, attempts: 2 }
tasks:
  build:
    run: npm ci && npm run build
  lint:
    needs: build
    matrix: { file: { glob: "src/**/*.ts", not: "**/*.d.ts" } }
    run: [npx, eslint, "\${{ matrix.file }}"]
  migrate:
    needs: build
    matrix:
      repo: { from: repos.txt }
      exclude: [{ repo: acme/legacy }]
    title: Dates in \${{ matrix.repo }}
    prompt: { file: prompts/dates.md }
    workspace: { dir: "checkouts/\${{ matrix.repo }}" }
    env: { CI: 1 }
    rerun: auto
  summary:
    needs: [{ task: migrate, when: always }]
    prompt: Write release notes.
`,
      { env: { PATH: process.env.PATH, GITHUB_SHA: 'abc123' } },
    )
    expect(body).toMatchObject({
      name: 'migrate-dates',
      key: 'abc123',
      file: `${folder.dir}/batch.yaml`,
      dir: folder.dir,
      limits: { slots: 8, timeout: '5h', halt: '20%', on_wall: 'wait', first: 3 },
      mode: 'auto',
    })
    expect(body.digest).toMatch(/^[0-9a-f]{64}$/)
    expect(body.tasks).toEqual([
      { key: 'build', run: 'npm ci && npm run build' },
      ...['src/a.ts', 'src/b.ts'].map((file) => ({
        key: `lint[${file}]`,
        run: ['npx', 'eslint', file],
        matrix: { file },
        needs: [{ task: 'build', when: 'done' }],
      })),
      ...['acme/web', 'acme/api'].map((repo) => ({
        key: `migrate[${repo}]`,
        title: `Dates in ${repo}`,
        prompt: `Migrate ${repo}, see \${{ needs.build.result }}.`,
        workspace: { dir: `${folder.dir}/checkouts/${repo}` },
        env: { CI: '1' },
        rerun: 'auto',
        matrix: { repo },
        needs: [{ task: 'build', when: 'done' }],
      })),
      {
        key: 'summary',
        prompt: 'Write release notes.',
        needs: [
          { task: 'migrate[acme/web]', when: 'always' },
          { task: 'migrate[acme/api]', when: 'always' },
        ],
      },
    ])
    expect(parseBody(NewBatchBody, body).kind).toBe('body')
  })

  test('a file about code is what the API takes: paths are whole, values stand for themselves', async () => {
    folder.put('src/[id].ts', '')
    folder.put('src/b.ts', '')
    folder.track()
    const { body } = await folder.read(
      `
defaults:
  check: { run: npm test, timeout: 5m }
  workspace: { repo: ., setup: [npm, ci], copy: [.env.test] }
tasks:
  base: { prompt: Prepare, workspace: { repo: ~/code/shop, ref: "\${{ env.BASE }}" } }
  change:
    needs: base
    matrix: { f: { glob: "src/*.ts" } }
    prompt: Change it
    workspace: { ref: "\${{ needs.base.branch }}", fresh: true }
    check: npx vitest related "$f" --run
    may_change: ["\${{ matrix.f }}", "tests/**"]
    expect: change
    review: chat
  remote:
    matrix: { repo: [acme/web] }
    prompt: Look
    check: none
    workspace:
      repo: https://example.org/\${{ matrix.repo }}
      depth: 1
      setup: { run: [make, "\${{ matrix.repo }}", "\${{ task.id }}"], key: ["\${{ matrix.repo }}/lock"] }
`,
      { env: { PATH: process.env.PATH, HOME: '/no/such/home', BASE: 'dev' } },
    )
    expect(body.defaults).toEqual({
      check: { run: 'npm test', timeout: '5m' },
      workspace: { repo: realpathSync(folder.dir), setup: ['npm', 'ci'], copy: ['.env.test'] },
    })
    const [base, first, second, remote] = body.tasks
    expect(base?.workspace).toEqual({ repo: '/no/such/home/code/shop', ref: 'dev' })
    expect(first).toMatchObject({
      key: 'change[src/[id].ts]',
      workspace: { ref: '${{ needs.base.branch }}', fresh: true },
      check: 'npx vitest related "$f" --run',
      matrix: { f: 'src/[id].ts' },
      may_change: ['src/\\[id\\].ts', 'tests/**'],
      expect: 'change',
      review: 'chat',
    })
    expect(second?.may_change).toEqual(['src/b.ts', 'tests/**'])
    expect(remote).toMatchObject({
      check: 'none',
      workspace: {
        repo: 'https://example.org/acme/web',
        depth: 1,
        setup: { run: ['make', 'acme/web', '${{ task.id }}'], key: ['acme/web/lock'] },
      },
    })
    expect(parseBody(NewBatchBody, body).kind).toBe('body')
  })

  test('a password in the address of a repository is refused, and nowhere repeated', async () => {
    const faults = await folder.faults(
      'tasks: { a: { matrix: { u: ["jo:hunter2"] }, prompt: x, workspace: { repo: "https://${{ matrix.u }}@h/x" } } }',
    )
    expect(faults).toEqual([expect.stringContaining('workspace.repo holds a password, which would be stored')])
  })

  test('without a name the batch is called like its file', async () => {
    expect((await folder.read('tasks: { a: { run: "true" } }')).body.name).toBe('batch')
  })

  test('JSONL is one task a line, each with its key', async () => {
    folder.put('tasks.jsonl', '{"key":"a","run":["echo","1"]}\n\n{"key":"b","run":"true","needs":"a"}\n')
    const { body } = await folder.read('', { file: 'tasks.jsonl' })
    expect(body).toMatchObject({
      name: 'tasks',
      tasks: [
        { key: 'a', run: ['echo', '1'] },
        { key: 'b', run: 'true', needs: [{ task: 'a', when: 'done' }] },
      ],
    })
  })

  test('standard input is taken as YAML, or as JSONL when each line is a task', async () => {
    const stdinOf = async (stdinText: string) => (await folder.read('', { file: '-', stdinText })).body
    expect(await stdinOf('name: piped\ntasks: { a: { run: "true" } }')).toMatchObject({ name: 'piped', file: null })
    expect(await stdinOf('{"key":"x","run":"true"}\n{"key":"y","run":"true"}')).toMatchObject({
      name: 'stdin',
      dir: folder.dir,
      tasks: [{ key: 'x' }, { key: 'y' }],
    })
  })

  test('values keep the spelling of the file: a matrix of 3.9 and 3.10 has no 3.1', async () => {
    expect(await keysOf('tasks: { t: { matrix: { py: [3.9, 3.10, 0x10, true] }, run: "true" } }')).toEqual([
      't[3.9]',
      't[3.10]',
      't[0x10]',
      't[true]',
    ])
  })

  test('several axes are their product, the last one fastest', async () => {
    expect(
      await keysOf(`tasks: { t: { run: "true", matrix: {
        os: [linux, mac], node: [20, 24], exclude: [{ os: mac, node: "20" }] } } }`),
    ).toEqual(['t[linux,20]', 't[linux,24]', 't[mac,24]'])
  })

  test('a need on a task with a matrix means all its rows, one on a row means that row', async () => {
    const { body } = await folder.read(`
tasks:
  a: { run: "true", matrix: { x: [1, 2] } }
  b: { run: "true", matrix: { x: [1, 2] }, needs: "a[\${{ matrix.x }}]" }
  c: { run: "true", needs: [a, { task: "a[2]", when: always }] }
`)
    expect(body.tasks.map(({ key, needs }) => [key, needs?.map(({ task, when }) => `${task} ${when}`)])).toEqual([
      ['a[1]', undefined],
      ['a[2]', undefined],
      ['b[1]', ['a[1] done']],
      ['b[2]', ['a[2] done']],
      ['c', ['a[1] done', 'a[2] done']],
    ])
  })

  test('flags of the command line go over the file', async () => {
    folder.put('other.txt', 'x\n')
    const { body } = await folder.read(
      'key: file\nlimits: { slots: 2 }\ntasks: { t: { run: "true", attempts: 1, matrix: { f: [a, b] } }, u: { run: "true" } }',
      {
        key: 'flag',
        board: 'shop',
        slots: 8,
        timeout: '5m',
        set: ['tasks.t.attempts=3', 'limits.halt=20%'],
        matrix: ['f=other.txt'],
      },
    )
    expect(body).toMatchObject({ key: 'flag', board: 'shop', limits: { slots: 8, timeout: '5m', halt: '20%' } })
    expect(body.tasks).toMatchObject([{ key: 't[x]', attempts: 3 }, { key: 'u' }])
  })

  test('a key given by hand stands in for one whose variable is not set', async () => {
    const text = 'key: ${{ env.NO_SUCH }}\ntasks: { a: { run: "true" } }'
    expect((await folder.read(text, { key: 'k' })).body.key).toBe('k')
    expect(await folder.faults(text)).toEqual([
      '1: key holds ${{ env.NO_SUCH }}, and NO_SUCH is not set: set NO_SUCH where you type the command',
    ])
  })
})

describe('titles, prompts and other texts', () => {
  test.each([
    ['line breaks', 'a\nb\r\nc', 'a b c'],
    ['leading dashes', '--rm -rf', '--rm -rf'],
    ['command substitution', '$(reboot) `reboot`', '$(reboot) `reboot`'],
    ['emoji and right-to-left', '👨‍👩‍👧 שלום', '👨‍👩‍👧 שלום'],
    ['500 characters', 'x'.repeat(500), 'x'.repeat(500)],
  ])('a title with %s is one line of text, as written', async (_what, title, expected) => {
    const task = await taskOf(JSON.stringify({ tasks: { a: { run: 'true', title } } }))
    expect(task?.title).toBe(expected)
  })

  test('rows of one shell text go by their keys; where a row shows in the work, or the file says a title, by that', async () => {
    const titles = async (task: object) =>
      (await folder.read(JSON.stringify({ tasks: { a: { matrix: { r: ['x', 'y'] }, ...task } } }))).body.tasks.map(
        ({ title }) => title,
      )
    expect(await titles({ run: 'echo "$r"' })).toEqual(['a[x]', 'a[y]'])
    expect(await titles({ run: ['echo', '${{ matrix.r }}'] })).toEqual([undefined, undefined])
    expect(await titles({ run: 'echo "$r"', title: 'of ${{ matrix.r }}' })).toEqual(['of x', 'of y'])
  })

  test('a title over 500 characters is refused with its length in mind', async () => {
    expect(await folder.faults(JSON.stringify({ tasks: { a: { run: 'true', title: 'x'.repeat(501) } } }))).toEqual([
      expect.stringContaining('has 501 characters, and at most 500 may stand there: shorten it'),
    ])
  })

  test('a prompt of 3 MB comes through whole', async () => {
    const prompt = `${'long '.repeat(600_000)}end`
    folder.put('long.md', prompt)
    expect((await taskOf('tasks: { a: { prompt: { file: long.md } } }'))?.prompt).toBe(prompt)
  })

  test('no value becomes shell code: text for a shell takes values as variables only', async () => {
    const row = await taskOf('tasks: { a: { matrix: { f: ["$(reboot); \'x"] }, run: \'cat "$f"\' } }')
    expect(row).toMatchObject({ run: 'cat "$f"', matrix: { f: "$(reboot); 'x" } })
    expect(await folder.faults('tasks:\n  a:\n    matrix: { f: [x] }\n    run: cat ${{ matrix.f }}')).toEqual([
      '4: tasks.a.run is text for a shell and holds a placeholder, and no value may become shell code: ' +
        'use the variable ("$file"), or write it as a list, which meets no shell',
    ])
  })

  test('a value that looks like a placeholder stays text for whoever fills the rest', async () => {
    const row = await taskOf('tasks: { a: { matrix: { f: ["${{ task.id }}"] }, run: [echo, "${{ matrix.f }}"] } }', {
      env: {},
    }).catch((fault) => fault)
    // In the matrix itself only env is known, so such a value can only come from a file.
    expect(row.code).toBe('BATCH_FILE_INVALID')
    folder.put('odd.txt', '${{ task.id }}\n')
    expect(
      await taskOf('tasks: { a: { matrix: { f: { from: odd.txt } }, run: [echo, "${{ matrix.f }} ${{ task.id }}"] } }'),
    ).toMatchObject({ run: ['echo', '$${{ task.id }} ${{ task.id }}'] })
  })

  test('$${{ writes the characters themselves', async () => {
    expect(await taskOf('tasks: { a: { prompt: "use $${{ secrets.X }}", title: "about $${{ x }}" } }')).toMatchObject({
      prompt: 'use $${{ secrets.X }}',
      title: 'about ${{ x }}',
    })
  })
})

describe('rows from files', () => {
  const run = (from: string) => `tasks: { t: { run: "true", matrix: { r: { from: "${from}" } } } }`

  test('lines, CSV, JSON and JSONL, and standard input by its look', async () => {
    folder.put('l.txt', 'one\r\n\ntwo words\n')
    folder.put('c.csv', 'name\nAda\n"Lovelace, A"\n')
    folder.put('j.json', '["x", 2, {"nameWithOwner": "acme/web"}]')
    folder.put('j.jsonl', '"x"\n{"id": 7}\n')
    expect(await keysOf(run('l.txt'))).toEqual(['t[one]', 't[two words]'])
    expect(await keysOf(run('c.csv'))).toEqual(['t[Ada]', 't[Lovelace, A]'])
    expect(await keysOf(run('j.json'))).toEqual(['t[x]', 't[2]', 't[acme/web]'])
    expect(await keysOf(run('j.jsonl'))).toEqual(['t[x]', 't[7]'])
    expect(await keysOf(run('-'), { stdinText: '[{"n":"a"},{"n":"b"}]' })).toEqual(['t[a]', 't[b]'])
    expect(await keysOf(run('-'), { stdinText: 'a\nb\n' })).toEqual(['t[a]', 't[b]'])
  })

  test('of several columns the first names the row, and each is known by its name', async () => {
    folder.put('people.csv', 'id,name,Mail\n1,Ada,ada@x\n2,Bob,\n')
    const { body } = await folder.read(
      'tasks: { t: { run: [echo, "${{ matrix.p.name }}", "${{ matrix.p.Mail }}"], matrix: { p: { from: people.csv } } } }',
    )
    expect(body.tasks).toMatchObject([
      { key: 't[1]', run: ['echo', 'Ada', 'ada@x'], matrix: { p: '1', p_id: '1', p_name: 'Ada' } },
      { key: 't[2]', run: ['echo', 'Bob', ''], matrix: { p: '2', p_name: 'Bob' } },
    ])
  })

  test('data that cannot be read is named with its file and line', async () => {
    folder.put('bad.jsonl', '{"a":1}\n{"a":\n')
    folder.put('deep.json', '[{"a":{"b":1}}]')
    folder.put('empty.txt', '\n\n')
    expect(await folder.faults(run('bad.jsonl'))).toEqual(['bad.jsonl 2: is not JSON: write one JSON value a line'])
    expect(await folder.faults(run('deep.json'))).toEqual([expect.stringContaining('deep.json -: holds a row that is')])
    expect(await folder.faults(run('empty.txt'))).toEqual([expect.stringContaining('tasks.t.matrix.r has no rows')])
    expect(await folder.faults(run('gone.txt'))).toEqual([expect.stringContaining('there is no such file')])
  })

  test('long values make short keys that still differ', async () => {
    const long = 'word '.repeat(100)
    folder.put('long.txt', `${long}1\n${long}2\n`)
    const keys = await keysOf(run('long.txt'))
    expect(new Set(keys).size).toBe(2)
    for (const key of keys) expect([...key].length).toBeLessThanOrEqual(203)
  })
})

describe('globs', () => {
  const files = async (glob: string, not?: string) => {
    const left = not === undefined ? '' : `, not: "${not}"`
    return (await keysOf(`tasks: { t: { run: "true", matrix: { f: { glob: "${glob}"${left} } } } }`)).map((key) =>
      key.slice(2, -1),
    )
  }
  beforeEach(() => {
    for (const file of [
      'src/b.ts',
      'src/a.ts',
      'src/deep/c.ts',
      'src/a.test.ts',
      '.hidden/x.ts',
      'node_modules/m.ts',
    ]) {
      folder.put(file, '')
    }
  })

  test('outside a repository the folder is walked, without node_modules', async () => {
    expect(await files('**/*.ts', '**/*.test.ts')).toEqual(['src/a.ts', 'src/b.ts', 'src/deep/c.ts'])
    expect(await files('./src/*.ts')).toEqual(['src/a.test.ts', 'src/a.ts', 'src/b.ts'])
  })

  test('inside a repository only files count that are tracked and there', async () => {
    folder.put('.gitignore', 'node_modules\n')
    folder.track()
    folder.put('src/new.ts', '')
    const { rmSync } = await import('node:fs')
    rmSync(`${folder.dir}/src/b.ts`)
    expect(await files('src/**/*.ts')).toEqual(['src/a.test.ts', 'src/a.ts', 'src/deep/c.ts'])
  })

  test('paths start at the folder of the batch file, wherever the pattern points', async () => {
    folder.put(
      'batches/x.yaml',
      'tasks: { t: { run: "true", matrix: { f: { glob: "../src/*.ts", not: "../src/*.test.ts" } } } }',
    )
    const { body } = await folder.read('', { file: 'batches/x.yaml' })
    expect(body.tasks.map(({ key }) => key)).toEqual(['t[../src/a.ts]', 't[../src/b.ts]'])
    expect(body.dir).toBe(`${folder.dir}/batches`)
  })

  test('a glob that matches nothing is refused, and says when only untracked files match', async () => {
    const text = 'tasks: { t: { run: "true", matrix: { f: { glob: "src/*.tsx" } } } }'
    expect(await folder.faults(text)).toEqual([
      `1: tasks.t.matrix.f matches nothing: src/*.tsx (from ${folder.dir}): mend the pattern; only tracked files count in a repository`,
    ])
    folder.track()
    folder.put('src/new.tsx', '')
    expect(await folder.faults(text)).toEqual([expect.stringContaining('1 files match that git does not track')])
  })
})
