import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mostAtOnce, planBatches } from '../../../src/worker/chat/plan-batches.ts'
import type { Tool } from '../../../src/worker/tools/tool.ts'

const tool = (name: string, effect: Tool['effect']): Tool => ({
  name,
  effect,
  means: '',
  fields: [],
  run: async () => ({ text: '', summary: '', outcome: 'ok' }),
})
const tools = [tool('read', 'reads'), tool('write', 'writes')]
const calls = (names: readonly string[]) => names.map((name, index) => ({ id: `${index}`, name, argumentsText: '{}' }))

test('reads run side by side, a write waits for those before it and those after wait for it', () => {
  const batches = planBatches(calls(['read', 'read', 'write', 'read', 'nobody', 'write', 'write']), tools)

  expect(batches.map((batch) => batch.map(({ id }) => id).join(''))).toEqual(['01', '2', '34', '5', '6'])
})

test('each call once and in order, at most 16 at a time, no write beside anything', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('read', 'write', 'nobody'), { maxLength: 200 }), (names) => {
      const asked = calls(names)
      const batches = planBatches(asked, tools)
      expect(batches.flat()).toEqual(asked)
      for (const batch of batches) {
        expect(batch.length).toBeLessThanOrEqual(mostAtOnce)
        if (batch.some(({ name }) => name === 'write')) expect(batch).toHaveLength(1)
      }
    }),
  )
})
