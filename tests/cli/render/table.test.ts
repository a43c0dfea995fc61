import { describe, expect, test } from 'vitest'
import { renderTable } from '../../../src/cli/render/table.ts'
import { widthOf } from '../../../src/cli/render/visible.ts'

const cells = (...texts: string[]) => texts.map((text) => ({ text }))

describe('a table', () => {
  test('aligns its columns, emoji and right-to-left titles included', () => {
    const rows = [cells('T1', '🚢 ship', 'chat'), cells('T12', 'שלום', 'command')]
    expect(renderTable(rows, { width: 80, shrink: [] })).toEqual(['T1   🚢 ship  chat', 'T12  שלום     command'])
  })

  test('shortens the columns that may give way, and the last one after that', () => {
    const rows = [cells('T1', 'a title that is rather long', 'lane', 'and a remark that is long too')]
    const [line = ''] = renderTable(rows, { width: 40, shrink: [[1, 12]] })
    expect(line).toBe('T1  a title tha…  lane  and a remark th…')
    expect(widthOf(line)).toBe(40)
  })

  test('is never wider than the terminal, even one of 20 columns', () => {
    const rows = [cells('NEEDS YOU', 'T1', 'a title', 'chat', 'words'), cells('', 'T200', 'b', 'command')]
    for (const line of renderTable(rows, { width: 20, shrink: [[2, 4]] })) {
      expect(widthOf(line)).toBeLessThanOrEqual(20)
    }
  })

  test('colours a cell after its width was settled', () => {
    const red = (text: string) => `<${text}>`
    const rows = [[{ text: 'T1', paint: red }, { text: 'x' }], cells('T100', 'y')]
    expect(renderTable(rows, { width: 80, shrink: [] })).toEqual(['<T1>    x', 'T100  y'])
  })

  test('lets a long end of a short row run on, and widens no column of the others for it', () => {
    const rows = [cells('T1', 'asks', 'yardmaster answer T1'), cells('T2', 'waits for a very long time')]
    expect(renderTable(rows, { width: 80, shrink: [] })).toEqual([
      'T1  asks  yardmaster answer T1',
      'T2  waits for a very long time',
    ])
  })

  test('for a pipe cuts nothing, and one long title does not blow up every other line', () => {
    const long = 'x'.repeat(300)
    const rows = [long, 'short', 'y'.repeat(30)].map((title, n) => [
      { text: `T${n}` },
      { text: title },
      { text: 'command' },
    ])
    expect(renderTable(rows, { width: 1_000, shrink: [[1, 12]] })).toEqual([
      `T0  ${long}  command`,
      `T1  short${' '.repeat(35)}  command`,
      `T2  ${'y'.repeat(30)}${' '.repeat(10)}  command`,
    ])
  })
})
