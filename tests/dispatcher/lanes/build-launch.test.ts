import { describe, expect, test } from 'vitest'
import type { Task, TaskSpec } from '../../../src/board/index.ts'
import { buildLaunch, type LaunchInput } from '../../../src/dispatcher/build-launch.ts'
import { resolveTask } from '../../../src/dispatcher/index.ts'
import type { NeedResult } from '../../../src/dispatcher/lanes/lane-launch.ts'
import { buildRunPlan, parseRunPlan } from '../../../src/dispatcher/run-plan.ts'
import { emptyConfig, type LaneConfig } from '../../../src/kernel/config/index.ts'
import { taskId } from '../../../src/kernel/index.ts'
import { parseChatSettings } from '../../../src/runs/index.ts'

const built = emptyConfig(4).lanes
const command = built.command as LaneConfig
const chat = { ...(built.chat as LaneConfig), model: 'small', system: '/etc/house.md' }
const task = { id: taskId(5), rowKey: 'lint[a b]', key: null, title: 'A "title"; rm -rf /' } as Task

const need = (fields: Partial<NeedResult>): NeedResult => ({
  task: taskId(1),
  key: null,
  title: 'before',
  status: 'done',
  outcome: 'done',
  result: null,
  output: null,
  ...fields,
})

function planOf(spec: Partial<TaskSpec>, lane: LaneConfig) {
  const whole: TaskSpec = { title: 't', dir: '/tmp', ...spec }
  return buildRunPlan({
    spec: whole,
    resolved: resolveTask(whole, { defaults: null, lane, builtInGraceMs: 10_000 }),
    laneName: 'ours',
    lane,
    account: {
      baseUrl: 'http://127.0.0.1:1/v1',
      key: 'none',
      slots: null,
      prices: { small: { in: 1, out: 2 }, other: { in: 3, out: 4 } },
    },
    folder: { kind: 'folder', path: '/tmp' },
  })
}

function launch(
  spec: Partial<TaskSpec>,
  more: { lane?: LaneConfig; needs?: readonly NeedResult[]; keyed?: 'yes'; attachments?: string } = {},
) {
  const lane = more.lane ?? command
  const whole: TaskSpec = { title: 't', dir: '/tmp', ...spec }
  const input: LaunchInput = {
    task,
    spec: whole,
    plan: planOf(whole, lane),
    passEnv: lane.passEnv,
    ...(more.attachments === undefined ? {} : { attachments: more.attachments }),
    attempt: 2,
    runDir: '/home/runs/0/R9',
    runName: 'R9',
    fence: 7,
    slot: 3,
    marker: 'yard:R9:nonce',
    secrets: {
      key: more.keyed === undefined ? null : { ref: { env: 'OPENAI_API_KEY' }, value: 'sk-1234567890' },
      env: {},
    },
    keptBack: [],
    hubEnv: { PATH: '/usr/bin:/bin', HOME: '/root', LC_ALL: 'C', SECRET: 'x', NODE_OPTIONS: '--x', NODE_ENV: 'test' },
    self: [process.execPath, '/opt/bin.cjs'],
    needs: () => more.needs ?? [],
    composePrompt: (text) => `# T5\n\n${text}\n`,
  }
  return buildLaunch(input)
}
const argvOf = (...args: Parameters<typeof launch>) => {
  const made = launch(...args)
  return made.ok ? made.argv : made.says
}
const echo = (...args: string[]) => ['echo', ...args]

describe('an argument list', () => {
  test('is filled with values of the task, each inside its argument', () => {
    const list = echo(
      `\${{ task.id }}`,
      `\${{task.key}}`,
      `x\${{ task.title }}y`,
      `\${{ task.dir }}`,
      `\${{ task.attempt }}`,
      `\${{ task.run_dir }}`,
    )
    expect(argvOf({ run: list })).toEqual([
      '/usr/bin/echo',
      'T5',
      'lint[a b]',
      'xA "title"; rm -rf /y',
      '/tmp',
      '2',
      '/home/runs/0/R9',
    ])
  })

  test('takes results of tasks before it, all rows of a matrix together', () => {
    const needs = [
      need({ task: taskId(1), key: 'build', result: 'built' }),
      need({ task: taskId(2), key: 'lint[a.ts]', output: 'one' }),
      need({ task: taskId(3), key: 'lint[b.ts]', result: 'two', outcome: 'failed' }),
    ]
    const list = echo(
      `\${{ needs.build.result }}`,
      `\${{ needs.lint.result }}`,
      `\${{ needs.lint[b.ts].outcome }}`,
      `\${{ needs.T1.output }}`,
    )
    expect(argvOf({ run: list }, { needs })).toEqual(['/usr/bin/echo', 'built', 'one\n\ntwo', 'failed', ''])
  })

  test('takes matrix values and the environment of the task, never that of the hub', () => {
    const list = echo(`\${{ matrix.file }}`, `\${{ env.WHO }}`)
    expect(argvOf({ run: list, matrix: { file: '$(id)' }, env: { WHO: '"me"' } })).toEqual([
      '/usr/bin/echo',
      '$(id)',
      '"me"',
    ])
    expect(argvOf({ run: echo(`\${{ env.SECRET }}`) })).toContain("the task's environment has no SECRET")
  })

  test('with a name that means nothing is refused with the nearest one', () => {
    expect(argvOf({ run: echo(`\${{ task.titel }}`) })).toBe(`\${{ task.titel }} is not known: did you mean title?`)
    expect(argvOf({ run: echo(`\${{ task.constructor }}`) })).toContain('is not known')
    expect(argvOf({ run: echo(`\${{ matrix.__proto__ }}`) })).toContain('no such matrix value')
    expect(argvOf({ run: echo(`\${{ needs.nobody.result }}`) })).toContain('names no task that this one needs')
    expect(argvOf({ run: echo(`\${{ nothing }}`) })).toContain('there are task, needs, matrix and env')
  })

  test('keeps what is escaped', () => {
    expect(argvOf({ run: echo(`$\${{ task.id }}`) })).toEqual(['/usr/bin/echo', `\${{ task.id }}`])
  })
})

describe('a prompt', () => {
  const agent = { ...command, command: ['/bin/cat', `\${{ task.prompt_file }}`] }
  const promptOf = (prompt: string, more: Parameters<typeof launch>[1] & Pick<Partial<TaskSpec>, 'matrix'> = {}) => {
    const { matrix = {}, ...how } = more
    const made = [chat, agent].map((lane) => launch({ prompt, matrix, env: { WHO: 'me' } }, { ...how, lane }))
    const texts = made.map((one) => (one.ok ? one.files[0]?.text : one.says))
    expect(texts[1]).toBe(texts[0])
    return texts[0]?.replace('# T5\n\n', '').replace(/\n$/, '')
  }

  test('is filled with values of the task and results of tasks before it, for our own agent and for others', () => {
    const needs = [
      need({ key: 'build', result: 'built' }),
      need({ key: 'lint[a.ts]', output: 'one', outcome: 'failed' }),
    ]
    expect(
      promptOf(
        `\${{ task.id }} \${{task.attempt}}: \${{ needs.build.result }}, \${{ needs.lint.outcome }} \${{ matrix.f }}`,
        {
          needs,
          matrix: { f: 'a' },
        },
      ),
    ).toBe('T5 2: built, failed a')
  })

  test('keeps what is escaped, and names that mean nothing', () => {
    expect(promptOf(`$\${{ task.id }} in \${{ secrets.TOKEN }} of \${{ task.nobody }}, \${{ needs.x.result }}`)).toBe(
      `\${{ task.id }} in \${{ secrets.TOKEN }} of \${{ task.nobody }}, \${{ needs.x.result }}`,
    )
  })

  test('is given nothing of the environment, where the key is', () => {
    expect(promptOf(`\${{ env.YARDMASTER_API_KEY }} \${{ env.WHO }}`, { keyed: 'yes' })).toBe(
      `\${{ env.YARDMASTER_API_KEY }} \${{ env.WHO }}`,
    )
  })

  test('takes a value as it is, whatever it looks like', () => {
    const result = `\${{ task.id }} $\${{ task.id }} $& $1`
    expect(promptOf(`<\${{ needs.build.result }}>`, { needs: [need({ key: 'build', result })] })).toBe(`<${result}>`)
    expect(argvOf({ run: echo(`\${{ needs.build.result }}`) }, { needs: [need({ key: 'build', result })] })).toEqual([
      '/usr/bin/echo',
      result,
    ])
  })
})

describe('a text', () => {
  test('goes to bash untouched; matrix values are variables of their own', () => {
    const made = launch({ run: `echo "$file" \${{ task.id }}`, matrix: { file: '; rm -rf /' } })
    expect(made).toMatchObject({
      ok: true,
      argv: ['/usr/bin/bash', '-euo', 'pipefail', '-c', `echo "$file" \${{ task.id }}`],
    })
    expect(made.ok && made.env.file).toBe('; rm -rf /')
  })

  test('over the limit of one argument goes into a file of the attempt', () => {
    const text = `: ${'x'.repeat(131_072)}`
    expect(launch({ run: text })).toMatchObject({
      argv: ['/usr/bin/bash', '-euo', 'pipefail', '/home/runs/0/R9/command.sh'],
      files: [{ name: 'command.sh', text }],
    })
  })
})

describe('our own agent', () => {
  test('gets its text by file, its key by neither argument nor environment', () => {
    const made = launch({ prompt: 'Do it.' }, { lane: chat, keyed: 'yes' })
    if (!made.ok) throw new Error(made.says)
    expect(made.files[0]).toEqual({ name: 'prompt.md', text: '# T5\n\nDo it.\n' })
    expect(made.argv.join(' ')).toBe(
      `${process.execPath} /opt/bin.cjs chat -q Work on task T5, described in the prompt file. --prompt-file /home/runs/0/R9/prompt.md ` +
        '--report /home/runs/0/R9/report.json --run R9 --fence 7 --settings /home/runs/0/R9/chat.json',
    )
    expect(made.key).toBe('sk-1234567890')
    expect(JSON.stringify([made.env, made.files])).not.toContain('sk-1234567890')
  })

  test('gets all that its lane, its account and its task say in one file, with the time of the whole attempt', () => {
    const lane: LaneConfig = {
      ...chat,
      chat: {
        ...chat.chat,
        fallbacks: ['smaller'],
        turns: 12,
        toolsOff: ['terminal'],
        headers: { 'x-team': 'shop' },
        grants: ['create'],
        timeouts: { ...chat.chat.timeouts, idleMs: 9_000 },
      },
    }
    const made = launch({ prompt: 'Do it.', timeoutMs: 60_000, budgetUsd: 2 }, { lane, keyed: 'yes' })
    const text = made.ok ? (made.files.find(({ name }) => name === 'chat.json')?.text ?? '') : ''
    expect(parseChatSettings(text)).toMatchObject({
      ok: true,
      settings: {
        models: ['small', 'smaller'],
        baseUrl: 'http://127.0.0.1:1/v1',
        keyless: false,
        system: '/etc/house.md',
        maxTurns: 12,
        toolsOff: ['terminal'],
        headers: { 'x-team': 'shop' },
        grants: ['create'],
        timeouts: { idleMs: 9_000, callMs: null },
        runMs: 60_000,
        budget: { tokens: 5_000_000, usd: 2 },
        prices: { small: { in: 1, out: 2 } },
      },
    })
  })

  test('has room for its report kept from the beginning, since the disk may be full at the end', () => {
    const made = launch({ prompt: 'Do it.' }, { lane: chat })
    expect(made.ok && made.files.at(-1)).toEqual({
      name: 'report.json.new',
      text: expect.stringMatching(/^ {32768}$/),
    })
  })

  test('is told when its account needs no key', () => {
    const made = launch({ prompt: 'Do it.' }, { lane: chat })
    expect(made.ok && parseChatSettings(made.files[1]?.text ?? '')).toMatchObject({ settings: { keyless: true } })
  })

  test('takes up work that a version before has claimed, whose plan knew less', () => {
    const { chat: _, ...before } = planOf({ prompt: 'x' }, chat)
    const stored = JSON.stringify({ ...before, model: 'old', baseUrl: 'http://127.0.0.1:2/v1', system: null })
    expect(parseRunPlan(stored).chat).toMatchObject({ models: ['old'], baseUrl: 'http://127.0.0.1:2/v1' })
    expect(parseRunPlan(JSON.stringify({ ...before, uses: 'command' })).chat).toBeNull()
  })

  test('does not take a command, and a plain command lane no prompt', () => {
    expect(argvOf({ run: 'true' }, { lane: chat })).toBe('lane ours works on prompts, and this task has a command')
    expect(argvOf({ prompt: 'Do it.' })).toBe('lane ours has no command for prompts')
  })
})

test('the environment is what was allowed, with our own variables, and nothing else of the hub', () => {
  const made = launch(
    { run: 'true', env: { YARDMASTER_RUN: 'R1', WHO: 'me' } },
    { lane: { ...command, passEnv: ['NODE_*'] } },
  )
  expect(made.ok && made.env).toEqual({
    PATH: '/usr/bin:/bin',
    HOME: '/root',
    LC_ALL: 'C',
    NODE_ENV: 'test',
    TERM: 'dumb',
    PYTHONUNBUFFERED: '1',
    WHO: 'me',
    YARDMASTER_TASK: 'T5',
    YARDMASTER_RUN: 'R9',
    YARDMASTER_RUN_DIR: '/home/runs/0/R9',
    YARDMASTER_REPORT: '/home/runs/0/R9/report.json',
    YARDMASTER_FENCE: '7',
    YARDMASTER_SLOT: '3',
    YARDMASTER_MARKER: 'yard:R9:nonce',
  })
})

test('C93 · a worker is told where the files that people gave lie, and of no such folder where they gave none', () => {
  const made = launch({ run: 'true' }, { attachments: '/home/runs/0/R9/attachments' })
  expect(made.ok && made.env.YARDMASTER_ATTACHMENTS).toBe('/home/runs/0/R9/attachments')
})

test('a zero byte is refused by name, in arguments and variables alike', () => {
  expect(argvOf({ run: ['echo', 'a\0b'] })).toContain('argument 1 of the command holds a zero byte')
  expect(argvOf({ run: 'true', env: { BAD: 'a\0b' } })).toContain('"BAD" cannot be set')
})
