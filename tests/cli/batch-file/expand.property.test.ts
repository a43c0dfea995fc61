import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expandMatrix, productSize } from '../../../src/cli/batch-file/expand-matrix.ts'
import { expandTask } from '../../../src/cli/batch-file/expand-task.ts'

const label = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(',', '"', '","', 'a,b', ' a', '', '\n', '$(x)'),
)
const axis = fc.uniqueArray(
  label.filter((text) => !/[\p{Surrogate}\0]/u.test(text)),
  { minLength: 1, maxLength: 5 },
)
const axes = fc.array(axis, { minLength: 1, maxLength: 4 }).map((all) =>
  all.map((labels, index) => ({
    name: `x${index}`,
    holds: 'values' as const,
    values: labels.map((one) => ({ label: one })),
  })),
)

describe('whatever the values are', () => {
  test('the rows are the whole product and no two have the same key', () => {
    fc.assert(
      fc.property(axes, (all) => {
        const rows = expandMatrix(all, [])
        expect(rows).toHaveLength(productSize(all))
        expect(new Set(rows.map((row) => row.label)).size).toBe(rows.length)
      }),
    )
  })

  test('keys are one line without control characters', () => {
    fc.assert(
      fc.property(axes, (all) => {
        for (const row of expandMatrix(all, [])) expect(row.label).not.toMatch(/[\p{Cc}\u{2028}\u{2029}]/u)
      }),
    )
  })

  test('exclude takes out exactly the rows that it names', () => {
    fc.assert(
      fc.property(axes, fc.nat(), (all, pick) => {
        const rows = expandMatrix(all, [])
        const gone = rows[pick % rows.length]
        const left = expandMatrix(all, [Object.fromEntries(gone?.names ?? [])])
        expect(left.map((row) => row.label)).toEqual(rows.filter((row) => row !== gone).map((row) => row.label))
      }),
    )
  })

  test('text for a shell is never changed by a value, and each value arrives as its variable', () => {
    fc.assert(
      fc.property(axes, (all) => {
        const run = 'printf %s "$x0"'
        const rows = expandMatrix(all, [])
        const expanded = expandTask(
          { key: 't', written: { run }, rows, promptOf: () => undefined },
          { dir: '/d', env: {} },
        )
        for (const [index, row] of expanded.entries()) {
          expect(row.body.run).toBe(run)
          expect(row.body.matrix?.x0).toBe(rows[index]?.names.get('x0'))
        }
      }),
    )
  })
})
