import fc from 'fast-check'
import { expect, test } from 'vitest'
import { settingsFromBody } from '../../src/api/bodies/settings-from-body.ts'
import { DefaultsBody, parseBody } from '../../src/api/contract/index.ts'
import { writtenSettings } from '../../src/api/views/written-settings.ts'
import { anySettings } from './setting-values.ts'

test('settings that are written as people would write them are read as the same settings, whatever they are', () => {
  fc.assert(
    fc.property(anySettings, (settings) => {
      const written: unknown = JSON.parse(JSON.stringify(writtenSettings(settings)))
      const parsed = parseBody(DefaultsBody, written)
      if (parsed.kind !== 'body') throw new Error(JSON.stringify([written, parsed.faults]))
      const { lane: _, priority: __, labels: ___, ...body } = parsed.body
      expect(settingsFromBody(body, '')).toEqual(settings)
    }),
    { numRuns: 1000 },
  )
})
