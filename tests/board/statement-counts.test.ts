import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { add, exit, openInMemory, settle, start } from './open-test-board.ts'

/** Counts what the engine is asked from here on, whoever asks. */
function countStatements(): () => number {
  const db = new Sqlite(':memory:')
  const prototype = Object.getPrototypeOf(db.prepare('select 1')) as Record<string, (...args: unknown[]) => unknown>
  db.close()
  let count = 0
  for (const name of ['run', 'get', 'all']) {
    const real = prototype[name]
    if (real === undefined) throw new Error(`better-sqlite3 has no ${name}`)
    prototype[name] = function counted(this: unknown, ...args: unknown[]) {
      count += 1
      return real.apply(this, args)
    }
    onTestFinished(() => {
      prototype[name] = real
    })
  }
  return () => count
}

test('a plain command costs what it did before there were stages and reviews: these many statements, and not one more', () => {
  using yard = openInMemory()
  const { board } = yard
  add(board, [{}, {}])
  const asked = countStatements()
  const costOf = (act: () => void): number => {
    const before = asked()
    act()
    return asked() - before
  }
  expect({
    'claimed and started': costOf(() => void start(board, 1)),
    exited: costOf(() => exit(board, board.openRuns()[0]?.id ?? never())),
    settled: costOf(() => settle(board, board.openRuns()[0]?.id ?? never(), { to: 'done' })),
  }).toEqual({ 'claimed and started': 26, exited: 10, settled: 12 })
})

function never(): never {
  throw new Error('nothing runs')
}
