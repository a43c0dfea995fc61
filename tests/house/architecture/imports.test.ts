import { describe, expect, test } from 'vitest'
import { findCycles, findForbiddenImports, mayImport, partOf } from './import-rules.ts'
import { readSources, type Source } from './read-sources.ts'

const sources = readSources('src')
const source = (path: string, text: string): Source => ({ path, text })

describe('the sources of Yardmaster', () => {
  test('import only along the arrows of the design, and through doors', () => {
    expect(findForbiddenImports(sources)).toEqual([])
  })

  test('have no ring of imports, type imports included', () => {
    expect(findCycles(sources)).toEqual([])
  })

  test('fill every part of the table, so that no arrow is kept for a part that is gone', () => {
    const filled = new Set(sources.map(({ path }) => partOf(path)))
    expect(Object.keys(mayImport).filter((part) => !filled.has(part as keyof typeof mayImport))).toEqual([])
  })
})

describe('the import rules fire', () => {
  test('on a route that reaches into the dispatcher, and say what to do instead', () => {
    const found = findForbiddenImports([
      source('api/routes/tasks.ts', `import { wake } from '../../dispatcher/index.ts'`),
    ])
    expect(found).toEqual([expect.stringContaining('api/routes/tasks.ts reaches into dispatcher')])
    expect(found[0]).toContain('let main.ts hand it in')
  })

  test.each([
    ['a plain import', `import { x } from '../board/store.ts'`],
    ['a type import', `import type { X } from '../board/store.ts'`],
    ['a re-export', `export { x } from '../board/store.ts'`],
    ['an import at run time', `await import('../board/store.ts')`],
    ['a type written as an import', `type X = import('../board/store.ts').X`],
  ])('on %s that goes past a door', (_form, text) => {
    expect(findForbiddenImports([source('dispatcher/loop.ts', text)])).toEqual([
      expect.stringContaining('goes past the door of board (board/store.ts): import it from board/index.ts'),
    ])
  })

  test('on a kernel brick that knows a task', () => {
    const found = findForbiddenImports([source('kernel/clock.ts', `import type { Task } from '../board/index.ts'`)])
    expect(found).toEqual([expect.stringContaining('kernel may import nothing of ours')])
  })

  test('on a supervisor that looks at the board, although its dispatcher may', () => {
    const text = `import type { Board } from '../../board/index.ts'`
    expect(findForbiddenImports([source('dispatcher/supervisor/watch.ts', text)])).toHaveLength(1)
    expect(findForbiddenImports([source('dispatcher/watch.ts', text.replace('../../', '../'))])).toEqual([])
  })

  test('on a file that no part owns', () => {
    expect(findForbiddenImports([source('utils/strings.ts', '')])).toEqual([
      expect.stringContaining('utils/strings.ts belongs to no part'),
    ])
  })

  test('on a ring of three files, type imports included', () => {
    const ring = [
      source('board/a.ts', `import { b } from './b.ts'`),
      source('board/b.ts', `import type { C } from './c.ts'`),
      source('board/c.ts', `export { a } from './a.ts'`),
    ]
    expect(findCycles(ring)).toEqual([expect.stringContaining('board/a.ts → board/b.ts → board/c.ts → board/a.ts')])
  })

  test('and are quiet about a tree that keeps them', () => {
    const fine = [
      source('board/index.ts', `export { a } from './a.ts'`),
      source('board/a.ts', `import { YardError } from '../kernel/index.ts'\nimport sqlite from 'better-sqlite3'`),
      source('dispatcher/loop.ts', `import { a } from '../board/index.ts'`),
    ]
    expect(findForbiddenImports(fine)).toEqual([])
    expect(findCycles(fine)).toEqual([])
  })
})
