import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../../src/kernel/index.ts'
import { createTranscript, mostTranscriptBytes, noTranscript } from '../../../src/worker/record/create-transcript.ts'
import { parseTranscript } from '../../../src/worker/record/parse-transcript.ts'
import { readConversation } from '../../../src/worker/record/read-conversation.ts'
import { readReplay } from '../../../src/worker/record/read-replay.ts'
import { aFolder, asText, lines } from './a-transcript.ts'

const secret = ['correct', 'horse', 'battery/+', 'staple'].join('-')
const said: string[] = []
const deps = { redact: createRedactor([secret]), log: (line: string) => void said.push(line) }

function written(content: string): string {
  const file = join(aFolder(), 'transcript.jsonl')
  writeFileSync(file, content)
  return file
}

describe('a transcript', () => {
  test('holds each line as soon as it happened, in a file that only its owner reads', () => {
    const file = join(aFolder(), 'transcript.jsonl')
    const transcript = createTranscript(deps, file)
    for (const line of lines.slice(0, 3)) transcript.write(line)

    expect(parseTranscript(readFileSync(file, 'utf8'))).toEqual({ lines: lines.slice(0, 3), damage: null })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(transcript.keeps()).toEqual({ bytes: statSync(file).size, cut: false })
    transcript.close()
    transcript.write(lines[3])
    expect(parseTranscript(readFileSync(file, 'utf8')).lines).toHaveLength(3)
  })

  test('holds no secret: not as it is, not in arguments that are JSON in JSON, not in a name of a field', () => {
    const file = join(aFolder(), 'transcript.jsonl')
    const argumentsText = JSON.stringify({
      command: `curl -H "x: ${secret}"`,
      [secret]: Buffer.from(secret).toString('base64'),
    })
    const transcript = createTranscript(deps, file)
    transcript.write({
      kind: 'message',
      turn: 1,
      message: {
        role: 'assistant',
        text: `it is ${secret}`,
        toolCalls: [{ id: 'c', name: 'terminal', argumentsText }],
      },
    })
    transcript.write({ kind: 'note', turn: 1, says: encodeURIComponent(secret) })
    transcript.close()

    const text = readFileSync(file, 'utf8')
    expect(text).toContain('it is [secret]')
    for (const form of ['correct-horse', 'staple', Buffer.from(secret).toString('base64').slice(2, -3)]) {
      expect(text).not.toContain(form)
    }
  })

  test('ends at 64 MiB, says so, and still says how the run ended', () => {
    const file = join(aFolder(), 'transcript.jsonl')
    const transcript = createTranscript({ redact: (text) => text, log: deps.log }, file)
    const text = 'x'.repeat(16 * 1_024 * 1_024)
    for (let turn = 1; turn <= 6; turn += 1)
      transcript.write({ kind: 'message', turn, message: { role: 'user', text } })
    transcript.write(lines[10])
    transcript.close()

    expect(statSync(file).size).toBeLessThanOrEqual(mostTranscriptBytes)
    const kept = parseTranscript(readFileSync(file, 'utf8')).lines
    expect(kept.map(({ kind }) => kind)).toEqual(['message', 'message', 'message', 'cut', 'end'])
    expect(transcript.keeps()?.cut).toBe(true)
    expect(said.at(-1)).toContain('what follows is not recorded')
    expect(() => readConversation(file)).toThrow('its conversation is not whole')
  })

  test('that is switched off takes nothing and makes no file', () => {
    noTranscript.write(lines[0])
    expect(noTranscript.keeps()).toBeNull()
  })

  test('is never begun through a link, in a folder that is not there, or over a folder', () => {
    const folder = aFolder()
    mkdirSync(join(folder, 'taken'))
    symlinkSync('/etc/hostname', join(folder, 'link'))
    for (const name of ['link', 'nowhere/transcript.jsonl', 'taken']) {
      expect(() => createTranscript(deps, join(folder, name)), name).toThrow(
        expect.objectContaining({ code: 'WORKER_TRANSCRIPT_NOT_MADE' }),
      )
    }
  })

  test('a disk that takes nothing any more ends it, and the run goes on', () => {
    const transcript = createTranscript(deps, '/dev/full')
    transcript.write(lines[0])
    transcript.write(lines[1])
    expect(said.at(-1)).toContain('the transcript ends here')
  })
})

describe('a run that goes on in the file of one that was cut off', () => {
  test('begins a line of its own, and is whole for whoever reads it', () => {
    const file = written(asText(lines).slice(0, -7))
    const transcript = createTranscript(deps, file)
    for (const line of lines) transcript.write(line)
    transcript.close()
    expect(readConversation(file).map(({ text }) => text)).toContain('It says hello.')
    expect(readReplay(file)).toMatchObject({ runsInFile: 2, damage: null, end: { code: 0 } })
  })

  test('is not told for another: behind damage in the last run nothing is taken', () => {
    const torn = asText(lines).replace('"turn":1,"says"', '"turn":"x","says"')
    expect(parseTranscript(`${torn}${torn}`).damage).toBe(`line ${lines.length + 4} is damaged`)
  })
})

describe('what is read of one', () => {
  test('a line that was cut while it was written, or is damaged, ends it; what stands before is there', () => {
    const whole = asText(lines)
    expect(parseTranscript(whole.slice(0, -7))).toEqual({
      lines: lines.slice(0, -1),
      damage: 'line 11 was cut while it was written',
    })
    const damaged = whole.replace('"turn":1,"says"', '"turn":"x","says"')
    expect(parseTranscript(damaged)).toEqual({ lines: lines.slice(0, 3), damage: 'line 4 is damaged' })
    expect(parseTranscript('{"kind":"start"}\n')).toEqual({ lines: [], damage: 'line 1 is damaged' })
    expect(parseTranscript('')).toEqual({ lines: [], damage: null })
  })

  test('lines of a kind that a later version writes are left out', () => {
    expect(parseTranscript(asText([...lines, { kind: 'mood', turn: 2 }])).lines).toEqual(lines)
  })
})

describe('a conversation that is gone on with', () => {
  const messagesOf = (...more: readonly unknown[]) => readConversation(written(asText(more)))

  test('is what was said and done, in its order', () => {
    expect(messagesOf(...lines)).toEqual([
      { role: 'system', text: 'You work.' },
      { role: 'user', text: 'Read a.txt' },
      lines[5].message,
      lines[6].message,
      { role: 'assistant', text: 'It says hello.', toolCalls: [] },
    ])
  })

  test('is of the last run in the file, and of what stood there after it was made smaller', () => {
    const again = [
      ...lines,
      lines[0],
      lines[1],
      { kind: 'compacted', turn: 3, before: 40, after: 2 },
      { kind: 'message', turn: 3, message: { role: 'system', text: 'You work still.' } },
      { kind: 'message', turn: 3, message: { role: 'user', text: 'In short: …' } },
    ]
    expect(messagesOf(...again).map(({ text }) => text)).toEqual(['You work still.', 'In short: …'])
  })

  test('gives every call a result and every result its call, and providers none of their own back', () => {
    const calls = [
      { id: 'a', name: 'read', argumentsText: '{"path":"[secret]' },
      { id: 'b', name: 'block', argumentsText: '' },
    ]
    const messages = messagesOf(
      lines[0],
      lines[1],
      {
        kind: 'message',
        turn: 1,
        message: { role: 'assistant', text: '', toolCalls: calls, reasoning: [{ id: 'r' }] },
      },
      { kind: 'message', turn: 1, message: { role: 'tool', callId: 'a', text: 'read' } },
      { kind: 'message', turn: 1, message: { role: 'tool', callId: 'unheard of', text: '?' } },
    )
    expect(messages.slice(1)).toEqual([
      {
        role: 'assistant',
        text: '',
        toolCalls: [
          { id: 'a', name: 'read', argumentsText: '{"text":"{\\"path\\":\\"[secret]"}' },
          { id: 'b', name: 'block', argumentsText: '{}' },
        ],
      },
      { role: 'tool', callId: 'a', text: 'read' },
      { role: 'tool', callId: 'b', text: 'The run ended before this call had a result.' },
    ])
  })

  test.each([
    ['is damaged', asText(lines).replace('"role":"tool"', '"role":"tol"'), 'line 7 is damaged'],
    ['is cut', asText(lines).slice(0, -5), 'line 11 was cut'],
    ['is empty', '', 'there is no conversation in it'],
    ['is something else', 'dear diary\n', 'line 1 is damaged'],
  ])('is refused where the transcript %s', (_what, content, says) => {
    expect(() => readConversation(written(content))).toThrow(says)
  })

  test('is refused where there is none', () => {
    expect(() => readConversation('/nowhere/t.jsonl')).toThrow('it does not exist')
    expect(() => readConversation(aFolder())).toThrow('it is no plain file')
  })
})

describe('a run that is shown again', () => {
  test('comes turn by turn, in the order in which it happened', () => {
    const replay = readReplay(written(asText(lines)))
    expect(replay).toMatchObject({ runsInFile: 1, start: lines[0], end: lines[10], damage: null })
    expect(replay.turns.map(({ turn, events }) => [turn, events.map(({ kind }) => kind)])).toEqual([
      [0, ['message', 'message']],
      [1, ['fault', 'call', 'message', 'message']],
      [2, ['note', 'call', 'message']],
    ])
  })

  test.each([
    ['that runs, or was killed', asText(lines.slice(0, 7)), 'its worker runs, or was ended'],
    ['that was cut', asText([...lines.slice(0, 5), { kind: 'cut', bytes: 9 }, lines[10]]), 'it had grown to 9 bytes'],
    ['of which a line is half', asText(lines).slice(0, 700), 'was cut while it was written'],
    ['that is empty', '', 'there is nothing in it'],
  ])('says of one %s where it ends', (_what, content, says) => {
    expect(readReplay(written(content)).damage).toContain(says)
  })
})
