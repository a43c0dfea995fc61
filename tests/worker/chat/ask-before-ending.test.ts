import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { askBeforeEnding } from '../../../src/worker/chat/ask-before-ending.ts'
import type { Tool, ToolOrder } from '../../../src/worker/tools/tool.ts'
import { TestDesk } from '../tools/terminal/desk.ts'

const order: ToolOrder = {
  callId: 'c',
  signal: new AbortController().signal,
  attention: new AbortController().signal,
}

const ending = (name: string): Tool => ({
  name,
  means: 'ends the run',
  fields: [],
  effect: 'writes',
  run: async () => ({ text: 'ended', summary: 'ended', outcome: 'ok' }),
})

test('an end that would also end a command in the background is refused, once for each command', async () => {
  await using desk = new TestDesk()
  const [complete, block] = askBeforeEnding([ending('complete'), ending('block')], desk.desk)
  expect(await complete?.run({}, order)).toMatchObject({ text: 'ended' })

  await desk.terminal('while [ ! -e go ]; do sleep 0.02; done', { background: true })
  expect(await complete?.run({}, order)).toMatchObject({
    outcome: 'failed',
    text: expect.stringMatching(
      /^error: still running: P1 \(while \[ ! -e go \]; .*, for [\d.]+s\)\. It ends with you/,
    ),
  })
  expect(await block?.run({}, order)).toMatchObject({ text: 'ended' })
  expect(await complete?.run({}, order)).toMatchObject({ text: 'ended' })

  await desk.terminal('sleep 60', { background: true })
  expect((await complete?.run({}, order))?.text).toMatch(/^error: still running: P2/)
})

test('a command in the background that has ended holds nothing up', async () => {
  await using desk = new TestDesk()
  const [complete] = askBeforeEnding([ending('complete')], desk.desk)
  await desk.terminal('while [ ! -e go ]; do sleep 0.02; done', { background: true })
  writeFileSync(join(desk.workspace, 'go'), '')
  await desk.process('wait', { id: 'P1' })
  expect(await complete?.run({}, order)).toMatchObject({ text: 'ended' })
})
