import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toolNames } from '../../../src/kernel/index.ts'
import { selectTools } from '../../../src/worker/chat/select-tools.ts'
import { ok, tool } from './lead-chat.ts'

const all = ['terminal', 'read', 'complete'].map((name) => tool(name, 'reads', () => ok('')))
const names = (tools: ReturnType<typeof selectTools>) => tools.map(({ name }) => name)

test('what is switched off is off, whatever is allowed', () => {
  fc.assert(
    fc.property(fc.option(fc.subarray([...toolNames])), fc.subarray([...toolNames]), (allowed, off) => {
      for (const name of names(selectTools(all, { allowed, off }))) {
        expect(off).not.toContain(name)
        if (allowed !== null) expect(allowed).toContain(name)
      }
    }),
  )
})

test('without a word all are there, with an empty list none', () => {
  expect(names(selectTools(all, { allowed: null, off: [] }))).toEqual(['terminal', 'read', 'complete'])
  expect(names(selectTools(all, { allowed: [], off: [] }))).toEqual([])
})
