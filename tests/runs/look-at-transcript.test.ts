import { linkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lookAtTranscript } from '../../src/runs/index.ts'
import { makeFile, makeFolder } from './run-folder.ts'

const message = (role: string, text: string) => ({ kind: 'message', turn: 1, message: { role, text } })
const whole = [{ kind: 'start' }, message('user', 'the task'), message('assistant', 'done'), { kind: 'end', code: 0 }]
const asText = (lines: readonly unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')
const look = (content: string, mostBytes = 10_000) =>
  lookAtTranscript(makeFile(content, 'transcript.jsonl'), { mostBytes })

test('a whole transcript tells how much there is to read again, and what was said to the model', () => {
  const chars =
    JSON.stringify(message('user', 'the task').message).length +
    JSON.stringify(message('assistant', 'done').message).length
  expect(look(asText(whole))).toEqual({ chars, userTexts: 'the task' })
})

test('of one that was made smaller, or gone on with, only what is in force counts', () => {
  const smaller = [
    ...whole.slice(0, 3),
    { kind: 'compacted', before: 9, after: 1 },
    message('user', 'in short'),
    whole[3],
  ]
  expect(look(asText(smaller))?.userTexts).toBe('in short')
  expect(look(asText([...whole, whole[0], message('user', 'the second'), whole[3]]))?.userTexts).toBe('the second')
})

test.each([
  ['without an end', asText(whole.slice(0, 3))],
  ['with half a line', asText(whole).slice(0, -1)],
  ['with a damaged line', asText(whole).replace('"kind":"start"', '"kind":start')],
  ['that was cut', asText([...whole.slice(0, 3), { kind: 'cut', bytes: 1 }, whole[3]])],
  ['that is empty', ''],
  ['of lists', '[]\n'],
])('one %s is not gone on from', (_what, content) => {
  expect(look(content)).toBeUndefined()
})

test('nor is one that is larger than fits, a link, or not there', () => {
  expect(look(asText(whole), 20)).toBeUndefined()
  const folder = makeFolder()
  const file = join(folder, 'elsewhere')
  writeFileSync(file, asText(whole))
  symlinkSync(file, join(folder, 'symbolic'))
  linkSync(file, join(folder, 'hard'))
  for (const name of ['symbolic', 'hard', 'nowhere']) {
    expect(lookAtTranscript(join(folder, name), { mostBytes: 10_000 }), name).toBeUndefined()
  }
})
