import { describe, expect, test } from 'vitest'
import { parseRunRequest } from '../../../src/cli/run/index.ts'

describe('flags of run', () => {
  test('without any: the batch decides for itself and is followed', () => {
    expect(parseRunRequest('x.yaml', {}, undefined)).toMatchObject({
      how: 'follow',
      batch: { file: 'x.yaml', mode: 'auto', set: [], matrix: [], redo: [] },
    })
  })

  test.each([
    [{ slots: '0' }, '-j 0 is no number of workers'],
    [{ slots: 'many' }, '-j many is no number of workers'],
    [{ resume: true, new: true }, '--resume and --new do not go together'],
    [{ failed: true, new: true }, '--failed and --new do not go together'],
    [{ new: true, redo: ['a'] }, '--redo goes on with a batch'],
    [{ dryRun: true, detach: true }, '--dry-run and --detach do not go together'],
    [{ orphans: 'kill' }, '--orphans kill is neither adopt nor die'],
  ] as const)('%j is refused', (options, says) => {
    expect(() => parseRunRequest('x.yaml', options, undefined)).toThrow(says)
  })
})
