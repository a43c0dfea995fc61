import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aHome } from './a-home.ts'

const noHubLine = 'No hub is up, so nothing starts yet: yardmaster up -d\n'

describe('a home without a yard', () => {
  test('list says so kindly, with the first thing to do, and makes nothing', async () => {
    await using yard = aHome()
    expect(await yard.type('list')).toEqual({
      code: 0,
      out: `No yard in ${yard.home} yet.\nNext: yardmaster add "…"\n`,
      err: '',
    })
    expect(await yard.type('list', '--needs-me', '-q')).toMatchObject({ code: 0, out: '' })
    expect(existsSync(yard.home)).toBe(false)
  })

  test.each(['show', 'log', 'why', 'retry', 'stop', 'cancel', 'unblock', 'ready', 'edit'])(
    '%s T1 says that there is none',
    async (verb) => {
      await using yard = aHome()
      const { code, err } = await yard.type(verb, 'T1')
      expect(code).toBe(2)
      expect(err).toContain('[CLI_NO_YARD]')
      expect(existsSync(yard.home)).toBe(false)
    },
  )

  test('down has nothing to stop', async () => {
    await using yard = aHome()
    expect(await yard.type('down')).toEqual({ code: 0, out: 'No hub is up.\n', err: '' })
  })
})

test.each(['list', 'show', 'why', 'report'])(
  '%s tells that a store is gone, where attempts of it are left',
  async (verb) => {
    await using yard = aHome()
    await yard.type('add', 'a task')
    renameSync(join(yard.home, 'yard.db'), join(dirname(yard.home), 'kept.db'))
    mkdirSync(join(yard.home, 'runs', '0', 'R1'), { recursive: true })
    const { code, out, err } = await yard.type(verb, ...(verb === 'show' ? ['T1'] : []))
    expect([code, out, err]).toEqual([1, '', expect.stringContaining('[MAIN_STORE_MISSING]')])
    expect(existsSync(join(yard.home, 'yard.db'))).toBe(false)
  },
)

test('a batch that there is not is an error, by number as by name, and no empty answer', async () => {
  await using yard = aHome()
  await yard.type('add', 'a task')
  for (const batch of ['B99', '99', 'night']) {
    const { code, err } = await yard.type('list', '--batch', batch)
    expect([code, err]).toEqual([2, expect.stringContaining('[CLI_BAD_TARGET]')])
  }
})

test('the lines that list says to type next can be copied, whatever the label is', async () => {
  await using yard = aHome()
  for (const label of ['two words', '$(rm -r x)']) {
    await yard.type('add', 'a task', '--label', label, '--', 'true')
    await yard.type('cancel', '-y', '--label', label)
    const { out } = await yard.type('list', '--label', label)
    expect(out).toContain(`all of them: yardmaster list --label '${label}' --all\n`)
  }
})

test('a group that is empty is said to be, by the verbs that read as by those that change', async () => {
  await using yard = aHome()
  await yard.type('add', 'a task', '--', 'true')
  for (const verb of ['show', 'why']) {
    expect(await yard.type(verb, '@failed')).toEqual({ code: 0, out: '', err: 'No task of these.\n' })
    expect(await yard.type(verb, '@failed', '--json')).toEqual({ code: 0, out: '', err: '' })
  }
  expect((await yard.type('log', '@failed')).err).toContain('log shows one attempt, and there is no task of these')
})

describe('add', () => {
  test('answers where the card stands, who works on it and in which folder', async () => {
    await using yard = aHome()
    const command = await yard.type('add', 'build it', '--', 'npm', 'run', 'build')
    expect(command).toMatchObject({ code: 0, err: '' })
    expect(command.out).toBe(
      `T1 ready on main, lane command. It works here: ${yard.cwd}.\nNo hub is up, so nothing starts yet: yardmaster up -d\n`,
    )
    const prompt = await yard.type('add', 'Fix the flaky login test')
    expect(prompt.out).toContain('T2 ready on main, lane chat. It works in a new, empty folder of its own')
    expect(prompt.out).toContain('Lane chat cannot start it yet: no model: write lanes.chat.model in yardmaster.yaml\n')
    expect((await yard.type('add', '--draft', 'an idea')).out).toContain('T3 draft on main')
    expect((await yard.type('add', '--needs', 'T1,T2', 'after them')).out).toContain(
      'T4 waits for 2 tasks that it needs, on main',
    )
    expect((await yard.type('add', 'later', '--start-after', '2099-01-01T07:30')).out).toContain(
      'T5 waits until 1 Jan 2099 07:30, on main',
    )
    expect((await yard.type('add', '-q', 'only the id')).out).toBe('T6\n')
  })

  test('-- hands a command over as it stands, flags, globs and quotes included', async () => {
    await using yard = aHome()
    await yard.type('add', '--', 'grep', '--json', '-q', '$(date)', '*.ts', 'a b', '--')
    const { out } = await yard.type('show', 'T1', '--json')
    expect(JSON.parse(out)).toMatchObject({ run: ['grep', '--json', '-q', '$(date)', '*.ts', 'a b', '--'] })
  })

  test.each([
    ['command substitution', 'rename $(rm -rf ~) and `date`', 'rename $(rm -rf ~) and `date`'],
    ['500 characters', 'x'.repeat(500), 'x'.repeat(500)],
    ['emoji', 'Ship it 🚢 👩‍👩‍👧', 'Ship it 🚢 👩‍👩‍👧'],
    ['right-to-left text', 'שלום עולם', 'שלום עולם'],
    ['a line break', 'first line\nsecond line', 'first line'],
    ['501 characters', 'y'.repeat(501), `${'y'.repeat(79)}…`],
  ])('a title with %s stays what it is, and its text whole', async (_, typed, title) => {
    await using yard = aHome()
    expect(await yard.type('add', typed)).toMatchObject({ code: 0 })
    const task = JSON.parse((await yard.type('show', '-', '--json')).out)
    expect(task).toMatchObject({ title, prompt: typed })
  })

  test('a title that starts with a dash goes in by --title', async () => {
    await using yard = aHome()
    expect(await yard.type('add', '--title', '--force the door', '--', 'true')).toMatchObject({ code: 0 })
    expect((await yard.type('list')).out).toContain('--force the door')
  })

  test('an escape sequence in a title is not let through to the terminal', async () => {
    await using yard = aHome()
    await yard.type('add', 'a\u001b[2Jb')
    expect((await yard.typeWith({ terminal: 100 }, 'list')).out).not.toMatch(/[^\n\P{Cc}]/u)
  })

  test('takes a prompt from a file and from standard input', async () => {
    await using yard = aHome()
    writeFileSync(join(yard.cwd, 'p.md'), '# Why\nbecause')
    await yard.type('add', 'from a file', '--prompt-file', 'p.md')
    await yard.typeWith({ stdin: 'piped text\n' }, 'add', '-')
    await yard.typeWith({ stdin: 'piped prompt' }, 'add', 'titled', '--prompt-file', '-')
    const task = async (id: string) => JSON.parse((await yard.type('show', id, '--json')).out)
    expect(await task('T1')).toMatchObject({ title: 'from a file', prompt: '# Why\nbecause' })
    expect(await task('T2')).toMatchObject({ title: 'piped text', prompt: 'piped text\n' })
    expect(await task('T3')).toMatchObject({ title: 'titled', prompt: 'piped prompt' })
  })

  test('C136: answers created or existing, with the holder of the key and its status', async () => {
    await using yard = aHome()
    await yard.type('add', 'alert', '--key', 'disk-full')
    const again = await yard.type('add', 'alert', '--key', 'disk-full')
    expect(again).toMatchObject({ code: 0 })
    expect(again.out).toContain('T1 exists with the key disk-full (ready): nothing was added.')
    expect(JSON.parse((await yard.type('add', 'alert', '--key', 'disk-full', '--json')).out)).toMatchObject({
      created: false,
      task: { id: 1, status: 'ready' },
    })
    await yard.type('cancel', 'disk-full')
    expect((await yard.type('add', 'alert', '--key', 'disk-full')).out).toContain('T2 ready')
  })

  test.each([
    ['an unknown lane', ['x', '--lane', 'chta'], 'chat'],
    ['a lane of another kind', ['x', '--lane', 'command'], 'prompt'],
    ['a need that is not there', ['x', '--needs', 'T99'], 'T99'],
    ['a timeout that is none', ['x', '--timeout', 'soon'], 'timeout'],
    ['no attempt at all', ['x', '--attempts', '0'], 'attempts'],
    ['a priority out of range', ['x', '--priority', '10'], 'priority'],
    ['a worktree where there is no repository', ['x', '--workspace', 'worktree'], 'lies in none'],
    ['a folder that is missing', ['--workspace', './nowhere', '--', 'true'], 'nowhere'],
    ['an empty title', [''], 'add needs a title'],
  ])('C137: %s is refused and nothing is added', async (_, argv, names) => {
    await using yard = aHome()
    const { code, out, err } = await yard.type('add', ...argv)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(names)
    expect(err).toMatch(/\n {2}fix: \S/)
    expect((await yard.type('list', '-q')).out).toBe('')
  })
})

describe('the editor', () => {
  const editor = (folder: string, script: string): Record<string, string | undefined> => {
    const file = join(folder, 'editor')
    writeFileSync(file, `#!/bin/sh\n${script}\n`)
    chmodSync(file, 0o755)
    return { PATH: process.env.PATH, EDITOR: `${file} --wait` }
  }

  test('add -e makes a draft of what was written, below the title, headings included', async () => {
    await using yard = aHome()
    const env = editor(
      yard.cwd,
      'printf "Migrate to vite\\n\\n# Why\\nFaster.\\n" > "$2.new"; cat "$2" >> "$2.new"; mv "$2.new" "$2"',
    )
    const { code, out } = await yard.typeWith({ env }, 'add', '-e')
    expect(code).toBe(0)
    expect(out).toContain('T1 draft on main')
    const task = JSON.parse((await yard.type('show', 'T1', '--json')).out)
    expect(task).toMatchObject({ title: 'Migrate to vite', prompt: 'Migrate to vite\n\n# Why\nFaster.' })
  })

  test('edit without a flag opens the card, and leaves it alone when nothing was changed', async () => {
    await using yard = aHome()
    await yard.type('add', 'old title')
    const left = await yard.typeWith({ env: editor(yard.cwd, 'exit 0') }, 'edit', 'T1')
    expect(left).toMatchObject({ code: 0, err: 'T1 was left as it is.\n' })
    const env = editor(yard.cwd, 'sed -i "1s/old/new/" "$2"')
    expect(await yard.typeWith({ env }, 'edit', 'T1')).toMatchObject({ code: 0, out: 'T1 changed.\n' })
    expect(JSON.parse((await yard.type('show', 'T1', '--json')).out)).toMatchObject({
      title: 'new title',
      prompt: 'new title',
    })
  })

  test('that fails writes nothing and says where the text is', async () => {
    await using yard = aHome()
    const { code, err } = await yard.typeWith({ env: editor(yard.cwd, 'exit 3') }, 'add', '-e', 'Precious words')
    expect(code).toBe(2)
    const kept = /kept in (\S+)/.exec(err)?.[1] ?? ''
    expect(readFileSync(kept, 'utf8')).toContain('Precious words')
    rmSync(dirname(kept), { recursive: true })
    expect((await yard.type('list')).out).toContain('No yard')
  })

  test('is refused without a terminal and without $EDITOR', async () => {
    await using yard = aHome()
    expect(await yard.type('add', '-e')).toMatchObject({ code: 2, err: expect.stringContaining('[CLI_NO_EDITOR]') })
  })
})

describe('targets', () => {
  async function aBoard() {
    const yard = aHome()
    for (const title of ['one', 'two', 'three', 'four']) await yard.type('add', '--draft', title, '--label', title)
    return yard
  }

  test('T5, t5, 5, a range and - name tasks', async () => {
    await using yard = await aBoard()
    expect((await yard.type('ready', 'T1', 't2')).out).toBe(`T1 ready.\nT2 ready.\n${noHubLine}`)
    expect((await yard.type('block', '-', 'wait')).out).toContain('T2 is held: "wait"')
    expect((await yard.type('ready', '3-T4')).out).toBe(`T3 ready.\nT4 ready.\n${noHubLine}`)
    expect((await yard.type('show', '-')).out).toContain('T4 four')
  })

  test('groups and filters name those in the fitting status', async () => {
    await using yard = await aBoard()
    await yard.type('ready', '--label', 'one')
    await yard.type('block', 'T1', 'wait')
    expect((await yard.type('unblock', '@needs-me')).out).toBe(`T1 ready again.\n${noHubLine}`)
    expect((await yard.type('cancel', '--status', 'draft', '--label', 'two')).out).toBe('T2 cancelled.\n')
    expect((await yard.type('retry', '@failed')).err).toBe('Nothing to retry: no task of these is failed.\n')
  })

  test('several: each a line, what one is refused does not keep the others from it, the worst exit code', async () => {
    await using yard = await aBoard()
    await yard.type('cancel', 'T2')
    const { code, out, err } = await yard.type('ready', 'T1-T3', 'T99')
    expect(code).toBe(2)
    expect(out).toBe(`T1 ready.\nT3 ready.\n${noHubLine}`)
    expect(err).toContain('[BOARD_MOVE_REFUSED]')
    expect(err).toContain('[API_NOT_FOUND]')
  })

  test('with --json each is a document, the refused ones with their error', async () => {
    await using yard = await aBoard()
    const { code, out } = await yard.type('ready', 'T1', 'T99', '--json')
    expect(code).toBe(2)
    const [done, refused] = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(done).toMatchObject({ id: 1, status: 'ready' })
    expect(refused).toMatchObject({ task: 99, error: { code: 'API_NOT_FOUND' } })
  })

  test('one bad target on the line, and nothing is done', async () => {
    await using yard = await aBoard()
    expect(await yard.type('ready', 'T1', '@nobody')).toMatchObject({ code: 2, out: '' })
    expect((await yard.type('list', '--status', 'ready')).out).toBe('No task of these.\n')
  })

  test('a key names its task; one that is nobody’s is refused', async () => {
    await using yard = await aBoard()
    await yard.type('add', 'keyed', '--key', 'nightly')
    expect((await yard.type('show', 'nightly')).out).toContain('T5 keyed')
    expect(await yard.type('show', 'nihgtly')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no batch and no key'),
    })
  })
})

describe('without a hub', () => {
  test('a group of nobody is not edited, and what was used last stays so', async () => {
    await using yard = aHome()
    await yard.type('add', 'card', '--', 'true')
    for (const flags of [['--priority', '3'], ['-e']]) {
      expect(await yard.type('edit', '@failed', ...flags)).toEqual({ code: 0, out: '', err: 'No task of these.\n' })
    }
    expect((await yard.type('show', '-')).out).toContain('T1 card')
  })

  test('cards are edited, commented, held and let go', async () => {
    await using yard = aHome()
    await yard.type('add', 'card')
    expect((await yard.type('edit', 'T1', '--title', 'renamed', '--priority', '3', '--attempts', '5')).out).toBe(
      'T1 changed.\n',
    )
    expect((await yard.type('comment', 'T1', 'also cover logout')).out).toBe('T1: noted.\n')
    const shown = await yard.type('show', 'T1')
    expect(shown.out).toContain('T1 renamed')
    expect(shown.out).toContain('"also cover logout"')
    const settings = await yard.type('show', 'T1', '--settings')
    expect(settings.out).toMatch(/attempts +5 +task/)
    expect(settings.out).toMatch(/timeout +2h +built in/)
    expect((await yard.type('retry', 'T1')).code).toBe(2)
    expect((await yard.type('block', 'T1', 'wait for the design')).out).toContain('T1 is held: "wait for the design"')
    expect((await yard.type('list')).out).toMatch(/NEEDS YOU +T1 .*wait for the design.*yardmaster unblock T1/)
    expect(await yard.type('list', '--needs-me', '-q')).toEqual({ code: 5, out: '', err: '' })
    expect((await yard.type('why', 'T1')).out).toContain('[blocked]')
  })

  test('a task that is let go without a hub says that nothing starts yet, and one that is not does not', async () => {
    await using yard = aHome()
    await yard.type('add', 'one', '--draft', '--', 'true')
    expect((await yard.type('comment', 'T1', 'soon')).out).toBe('T1: noted.\n')
    expect((await yard.type('ready', 'T1')).out).toBe(`T1 ready.\n${noHubLine}`)
    expect((await yard.type('block', 'T1', 'wait')).out).not.toContain(noHubLine)
    expect((await yard.type('unblock', 'T1')).out).toBe(`T1 ready again.\n${noHubLine}`)
    expect((await yard.type('cancel', 'T1')).out).not.toContain(noHubLine)
    expect((await yard.type('retry', 'T1')).out).toContain(noHubLine)
    expect((await yard.type('retry', 'T1', '-q')).out).toBe('')
  })

  test('names that a hold may be for are listed once each', async () => {
    await using yard = aHome()
    await yard.type('add', 'x', '--', 'true')
    await yard.type('pause', '--lane', 'chat')
    expect((await yard.type('resume', '--lane', 'nobody')).err).toContain('known here: chat, command\n')
  })

  test('why of all that wait names the missing hub', async () => {
    await using yard = aHome()
    await yard.type('add', 'one', '--', 'true')
    await yard.type('add', 'two', '--', 'true')
    expect((await yard.type('why')).out).toMatch(/^T1 T2 {2}.*\[no_hub\]\nNext: yardmaster why T1\n$/)
  })

  test('a pause is kept for the hub to come', async () => {
    await using yard = aHome()
    await yard.type('add', 'x', '--', 'true')
    expect((await yard.type('pause', '--lane', 'chat')).out).toContain('Start again: yardmaster resume --lane chat')
    expect((await yard.type('list')).out).toContain('PAUSED  lane chat')
    expect((await yard.type('resume', '--lane', 'chat')).out).toContain('No hub is up')
  })

  test('nothing but the store is left behind: no lock is held, no draft of a file', async () => {
    await using yard = aHome()
    await yard.type('add', 'x', '--', 'true')
    await yard.type('show', 'T1')
    expect(readdirSync(yard.home).filter((name) => name.startsWith('last.'))).toEqual([])
    expect(await yard.type('list')).toMatchObject({ code: 0 })
  })
})

test('stop of a task that needs a person already says what it needs, and that nothing of it runs', async () => {
  await using yard = aHome()
  await yard.type('add', 'task', '--', 'true')
  await yard.type('block', 'T1', 'wait for Zoë')
  expect((await yard.type('stop', 'T1')).out).toMatch(
    /^T1 needs you already, and nothing of it runs: wait for Zoë \[.+\]\n/,
  )
})
