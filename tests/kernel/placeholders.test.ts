// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of ours look like it
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fillPlaceholders, findPlaceholders, splitNeed, unescapePlaceholders } from '../../src/kernel/index.ts'

test('placeholders are found with their scope and name, wherever blanks stand', () => {
  expect(findPlaceholders('a ${{ matrix.file }} b ${{needs.lint[src/a.ts].result}} ${{ odd }}')).toMatchObject([
    { scope: 'matrix', name: 'file', written: '${{ matrix.file }}', at: 2 },
    { scope: 'needs', name: 'lint[src/a.ts].result' },
    { scope: 'odd', name: '' },
  ])
})

test('what is not known yet stays in place for whoever fills it later', () => {
  const fill = (text: string) => fillPlaceholders(text, ({ scope }) => (scope === 'matrix' ? 'X' : undefined))
  expect(fill('${{ matrix.a }}-${{ task.id }}-${{ matrix.b }}')).toBe('X-${{ task.id }}-X')
})

test('a filled value is never read as a placeholder again', () => {
  expect(fillPlaceholders('${{ matrix.a }}', () => '${{ matrix.a }}')).toBe('${{ matrix.a }}')
})

test('$${{ is the way to write ${{ itself', () => {
  expect(findPlaceholders('uses $${{ secrets.KEY }}')).toEqual([])
  expect(unescapePlaceholders('uses $${{ secrets.KEY }}')).toBe('uses ${{ secrets.KEY }}')
})

test('text without placeholders comes back unchanged, whatever it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const plain = text.replaceAll('{{', '')
      expect(fillPlaceholders(plain, () => 'X')).toBe(plain)
    }),
  )
})

test('a need is its key and the field behind the last dot', () => {
  expect(splitNeed('lint[src/a.ts].result')).toEqual({ key: 'lint[src/a.ts]', field: 'result' })
  expect(splitNeed('build')).toBeUndefined()
})
