import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Check } from 'typebox/value'
import { expect, onTestFinished, test } from 'vitest'
import { YardError } from '../../../src/kernel/index.ts'
import { loopNotePrefix } from '../../../src/worker/chat/loop-note.ts'
import { parseScenario, ScenarioSchema, startRehearsal, startRehearsalServer } from '../../../src/worker/index.ts'
import { faultKinds } from '../../../src/worker/rehearsal/scenario-schema.ts'

async function play(script: string) {
  const parsed = parseScenario(script, 'scenario.yaml')
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults))
  const rehearsal = await startRehearsalServer({ scenario: parsed.scenario, port: 0 })
  onTestFinished(() => rehearsal.stop())
  const ask = async (messages: readonly object[], more: object = {}) => {
    const response = await fetch(`${rehearsal.baseUrl}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', messages, ...more }),
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  return { rehearsal, ask }
}

const user = (content: string) => ({ role: 'user', content })
const assistant = { role: 'assistant', content: 'x' }

test('all faults of a scenario are told at once, each with its line', () => {
  const parsed = parseScenario(
    `plays:
  - wen: hello
    turns:
      - sai: hi
      - faults: [{ kind: explode }]
      - faults: [{ kind: status, status: 99 }]
`,
    'scenario.yaml',
  )

  expect(parsed.ok ? [] : parsed.faults.map(({ line, path, says }) => `${line} ${path} ${says}`)).toEqual([
    '2 plays[0].wen is not known',
    '4 plays[0].turns[0].sai is not known',
    expect.stringMatching(/^5 plays\[0\]\.turns\[1\]\.faults\[0\]\.kind must be status \| no_headers/),
    expect.stringMatching(/^6 plays\[0\]\.turns\[2\]\.faults\[0\]\.status must be .*200/),
  ])
})

test('a field that does not belong to its kind of fault is refused, never ignored', () => {
  const parsed = parseScenario(
    'plays: [{ turns: [{ faults: [{ kind: cut, retry_after: 2 }, { kind: status }] }] }]',
    'scenario.yaml',
  )

  expect(parsed.ok ? [] : parsed.faults.map(({ path, says }) => `${path} ${says}`)).toEqual([
    'plays[0].turns[0].faults[0].retry_after does not belong to kind cut',
    'plays[0].turns[0].faults[1] has no status',
  ])
})

test('a file that is missing or wrong is refused with its code', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'yardmaster-rehearsal-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'scenario.yaml')

  await expect(startRehearsal({ file, port: 0 })).rejects.toThrow('there is no such file')
  writeFileSync(file, 'plays: []')
  const fault = await startRehearsal({ file, port: 0 }).catch((fault: unknown) => fault)
  expect(fault).toBeInstanceOf(YardError)
  expect(fault).toMatchObject({ code: 'WORKER_SCENARIO_FAULTY', status: 400 })
})

test('a port that is taken is named', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  onTestFinished(() => void other.close())
  const { port } = other.address() as { port: number }

  await expect(startRehearsalServer({ scenario: { plays: [{ turns: [{}] }] }, port })).rejects.toThrow(
    `port ${port} cannot be used (EADDRINUSE)`,
  )
})

test('the play whose texts stand in the prompt answers; the turn goes by what the model has already said', async () => {
  const { ask } = await play(`
plays:
  - { when: [red, apple], turns: [{ say: red apple }, { say: second }] }
  - { when: apple, turns: [{ say: apple }] }
  - { turns: [{ say: anything }] }
`)
  const said = async (messages: readonly object[]) =>
    JSON.parse((await ask(messages)).text).choices?.[0].message.content

  expect(await said([{ role: 'system', content: 'red' }, user('an apple')])).toBe('red apple')
  expect(await said([user('a red apple'), assistant])).toBe('second')
  expect(await said([user('a red apple'), assistant, user('and now an apple')])).toBe('apple')
  expect(await said([user([{ type: 'text', text: 'an apple' }] as unknown as string)])).toBe('apple')
  expect(await said([user('a pear')])).toBe('anything')
})

test('a prompt that no play fits, and a play that is over, are said as such', async () => {
  const { ask } = await play('plays: [{ when: apple, turns: [{ say: hi }] }]')

  expect((await ask([user('pear')])).text).toContain('no_play')
  expect(await ask([user('apple'), assistant])).toMatchObject({
    status: 400,
    text: expect.stringContaining('no turn 2'),
  })
})

test('who is offered the tool complete ends with a call of it, except where the scenario says that it stops silently', async () => {
  const { ask } = await play(`
plays:
  - { when: quiet, turns: [{ say: I stop, silent: true }] }
  - { when: cut, turns: [{ say: I was c, finish: length }] }
  - turns: [{ say: first }, { say: All done. }]
`)
  const complete = { tools: [{ type: 'function', function: { name: 'complete', parameters: {} } }] }
  const said = async (messages: readonly object[], more: object) => {
    const { message } = JSON.parse((await ask(messages, more)).text).choices[0]
    const call = message.tool_calls?.[0].function
    return call === undefined ? message.content : `${call.name} ${call.arguments}`
  }

  expect(await said([user('x')], complete)).toBe('first')
  expect(await said([user('x'), assistant], complete)).toBe('complete {"result":"All done."}')
  expect(await said([user('x'), assistant], {})).toBe('All done.')
  expect(await said([user('quiet')], complete)).toBe('I stop')
  expect(await said([user('cut')], complete)).toBe('I was c')
})

test('what the turn loop says by itself is not taken for the last word of the user', async () => {
  const { ask } = await play('plays: [{ when: apple, turns: [{ say: one }, { say: two }] }]')
  const note = user(`${loopNotePrefix}you have stopped without an end.`)

  const answer = await ask([user('apple'), assistant, note])

  expect(JSON.parse(answer.text).choices[0].message.content).toBe('two')
})

test('faults are played in their order, each as often as it says, then the reply', async () => {
  const { ask } = await play(`
plays:
  - turns:
      - say: at last
        faults:
          - { kind: status, status: 429, retry_after: 2, times: 2 }
          - { kind: status, status: 503, headers: { x-why: busy } }
`)
  const answers = []
  for (const _ of [1, 2, 3, 4]) answers.push(await ask([user('x')]))

  expect(answers.map(({ status }) => status)).toEqual([429, 429, 503, 200])
  expect(answers.map(({ headers }) => headers.get('retry-after'))).toEqual(['2', '2', null, null])
  expect(answers[2]?.headers.get('x-why')).toBe('busy')
})

test('a stream and a whole answer say the same, and every playing is the same to the byte', async () => {
  const script =
    'plays: [{ turns: [{ say: "ünïcode, and a longer text 🙂", call: [{ tool: read, with: { path: a } }] }] }]'
  const [one, two] = [await play(script), await play(script)]

  const streams = [await one.ask([user('x')], { stream: true }), await two.ask([user('x')], { stream: true })]
  const whole = JSON.parse((await one.ask([user('x')])).text).choices[0]

  expect(streams[0]?.text).toBe(streams[1]?.text)
  const events = (streams[0]?.text ?? '').split('\n\n').filter((event) => event.startsWith('data: {'))
  const deltas = events.flatMap((event) =>
    JSON.parse(event.slice(6)).choices.map(({ delta }: { delta: object }) => delta),
  )
  const join = (
    pick: (delta: { content?: string; tool_calls?: [{ function: { arguments: string } }] }) => string | undefined,
  ) => deltas.map((delta) => pick(delta) ?? '').join('')
  expect(join(({ content }) => content)).toBe(whole.message.content)
  expect(join(({ tool_calls }) => tool_calls?.[0].function.arguments)).toBe(
    whole.message.tool_calls[0].function.arguments,
  )
  expect(whole.finish_reason).toBe('tool_calls')
})

test('it lists its model, and says what it does not answer', async () => {
  const { rehearsal } = await play('model: small\nplays: [{ turns: [{ say: hi }] }]')

  expect(await (await fetch(`${rehearsal.baseUrl}/models`)).text()).toContain('"id":"small"')
  expect((await fetch(`${rehearsal.baseUrl}/embeddings`, { method: 'POST' })).status).toBe(404)
})

test('it stops although an answer hangs', async () => {
  const { rehearsal, ask } = await play('plays: [{ turns: [{ faults: [{ kind: no_headers }] }] }]')
  const hanging = ask([user('x')]).catch(() => 'cut')
  await new Promise((resolve) => setImmediate(resolve))

  await rehearsal.stop()

  expect(await hanging).toBe('cut')
})

test('docs/rehearsal.md describes every kind of fault, and no other', () => {
  const faults = readFileSync('docs/rehearsal.md', 'utf8').split('## Faults')[1] ?? ''
  const described = [...faults.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, kind]) => kind)

  expect(described).toEqual([...faultKinds])
})

test('the scenario of docs/rehearsal.md can be played, and the schema for editors knows all of it', () => {
  const [, script = ''] = /```yaml\n([\s\S]*?)```/.exec(readFileSync('docs/rehearsal.md', 'utf8')) ?? []

  const parsed = parseScenario(script, 'rehearsal.md')

  expect(parsed).toMatchObject({ ok: true })
  expect(Check(ScenarioSchema, parsed.ok ? parsed.scenario : undefined)).toBe(true)
})
