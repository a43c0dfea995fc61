import { expect, test } from 'vitest'
import { chatHelp } from '../../../src/worker/chat/chat-help.ts'
import { chatFlags } from '../../../src/worker/chat/flags.ts'

test.each([
  [80, 80],
  [120, 110],
  [undefined, 110],
])('the help of chat is no wider than a terminal of %s columns, and names every flag', (columns, widest) => {
  const help = chatHelp(columns)
  for (const line of help.split('\n')) expect([line, line.length <= widest]).toEqual([line, true])
  for (const { name } of Object.values(chatFlags)) expect(help).toContain(`--${name}`)
  expect(help).toContain('130')
})
