import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { asText, lines } from '../../worker/record/a-transcript.ts'
import { aHome } from '../a-home.ts'
import { aHub } from '../a-hub.ts'

/** A home with a transcript in a file of its working folder. */
function withFile(content: string) {
  const yard = aHome()
  writeFileSync(join(yard.cwd, 'talk.jsonl'), content)
  return yard
}

describe('dev replay FILE', () => {
  test('shows a run turn by turn, without a yard, a hub or a provider', async () => {
    await using yard = withFile(asText(lines))
    const { code, out, err } = await yard.type('dev', 'replay', './talk.jsonl')

    expect([code, err]).toEqual([0, ''])
    await expect(
      out.replace(/begun .* · 2 turns/, 'begun … · 2 turns').replace(/exit 0, .*/, 'exit 0, …'),
    ).toMatchFileSnapshot('../golden/replay.txt')
  })

  test('shows one turn with all of its texts, and cuts long ones where all turns are shown', async () => {
    const text = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`).join('\n')
    const long = lines.map((line) => (line === lines[6] ? { ...line, message: { ...lines[6].message, text } } : line))
    await using yard = withFile(asText(long))

    const all = await yard.type('dev', 'replay', 'talk.jsonl')
    expect(all.out).toContain('… 28 more lines (--turn N shows all)')
    expect(all.out).not.toContain('line 40')
    const one = await yard.type('dev', 'replay', 'talk.jsonl', '--turn', '1')
    expect(one.out).toContain('line 40')
    expect(one.out).not.toContain('It says hello.')
  })

  test('says of each result which tool it is of, where a turn called several', async () => {
    const call = (id: string, name: string) => ({ id, name, argumentsText: '{}' })
    const message = { role: 'assistant', text: '', toolCalls: [call('a', 'read'), call('b', 'search')] }
    const results = ['b', 'a'].map((callId) => ({
      kind: 'message',
      turn: 3,
      message: { role: 'tool', callId, text: `of ${callId}` },
    }))
    await using yard = withFile(asText([...lines, { kind: 'message', turn: 3, message }, ...results]))
    const { out } = await yard.type('dev', 'replay', 'talk.jsonl', '--turn', '3')
    expect(out).toMatch(/result +search\n +of b\n +result +read\n +of a\n/)
  })

  test('shows what is there of a record that is half, and says where it ends', async () => {
    await using yard = withFile(asText(lines).slice(0, 700))
    const { code, out } = await yard.type('dev', 'replay', 'talk.jsonl')

    expect(code).toBe(0)
    expect(out).toContain('Read a.txt')
    expect(out).toMatch(/The record ends here: line \d was cut while it was written\.\n$/)
  })

  test('answers a program with one document', async () => {
    await using yard = withFile(asText(lines))
    const { out } = await yard.type('dev', 'replay', 'talk.jsonl', '--json')
    expect(JSON.parse(out)).toMatchObject({ whole: true, damage: null, start: { model: 'm' }, end: { code: 0 } })
    expect(JSON.parse(out).turns).toHaveLength(3)
    const one = await yard.type('dev', 'replay', 'talk.jsonl', '--json', '--turn', '2')
    expect(JSON.parse(one.out).turns).toMatchObject([{ turn: 2 }])
  })

  test('lets nothing that a model has said move the cursor of a terminal', async () => {
    const evil = {
      kind: 'message',
      turn: 2,
      message: { role: 'assistant', text: '\u001b[2J\u001b]0;x\u0007', toolCalls: [] },
    }
    await using yard = withFile(asText([...lines, evil]))
    const { out } = await yard.typeWith({ terminal: 100 }, 'dev', 'replay', 'talk.jsonl')
    expect(out).toContain('\\e[2J')
    expect(out).not.toContain('\u001b[2J')
  })

  test.each([
    [['nowhere.jsonl'], 'it does not exist'],
    [['talk.jsonl', '--turn', '9'], 'has no turn 9'],
    [['talk.jsonl', '--turn', 'last'], 'is no number of a turn'],
  ])('%j is refused with what to do', async (args, says) => {
    await using yard = withFile(asText(lines))
    const { code, out, err } = await yard.type('dev', 'replay', ...args)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(says)
  })
})

test('dev replay R1 or T1 finds the record of an attempt, with a hub and without, and says why there is none', async () => {
  await using yard = aHome()
  const hub = await aHub(yard.home)
  await yard.type('add', 'a command', '--', 'true')
  await yard.type('log', '-f', 'T1')
  const runDir = join(yard.home, 'runs', '0', 'R1')

  const notOurs = await yard.type('dev', 'replay', 'R1')
  expect(notOurs.code).toBe(2)
  expect(notOurs.err).toContain('there is no transcript of R1: lane command did not start our agent for it')

  const settings = { schema: 1, models: ['m'], baseUrl: 'http://127.0.0.1:9/v1' }
  writeFileSync(join(runDir, 'chat.json'), JSON.stringify({ ...settings, transcript: 'off' }))
  expect((await yard.type('dev', 'replay', 'T1')).err).toContain('lane command keeps none (transcript: off)')
  writeFileSync(join(runDir, 'chat.json'), JSON.stringify(settings))
  expect((await yard.type('dev', 'replay', 'T1')).err).toContain('it ended before it had asked anything')

  writeFileSync(join(runDir, 'transcript.jsonl'), asText(lines))
  expect((await yard.type('dev', 'replay', 'T1')).out).toContain('R1 attempt 1 of T1 · model m')
  await hub.stop({ workers: 'end' })
  expect((await yard.type('dev', 'replay', 'R1')).out).toContain('It says hello.')

  rmSync(join(runDir, 'transcript.jsonl'))
  mkdirSync(join(runDir, 'transcript.jsonl'))
  expect((await yard.type('dev', 'replay', 'R1')).err).toContain('it is no plain file')
  expect((await yard.type('dev', 'replay', 'R9')).code).toBe(2)
})
