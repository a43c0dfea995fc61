import { appendFileSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readLogPiece } from '../../../src/api/logs/read-piece.ts'
import { closeLog, keepLog, lookAtLog } from '../../../src/dispatcher/supervisor/kept-log.ts'
import { createLogMask, leastLogBytes } from '../../../src/kernel/index.ts'
import { type Libc, loadLibc } from '../../../src/kernel/process/index.ts'
import { readLogParts, writeLogParts } from '../../../src/runs/index.ts'
import { makeFile } from '../../runs/run-folder.ts'

const real = await loadLibc()
const mask = createLogMask([])
const limitBytes = leastLogBytes

describe.each([
  ['free', real],
  ['copy', undefined],
] as const)('a log that is kept by way of %s', (way, libc) => {
  test.skipIf(way === 'free' && libc === undefined)(
    'holds its limit, loses no line but of its middle, and tells each at the place where it was written, whatever happens',
    () => {
      const act = fc.oneof(
        {
          weight: 6,
          arbitrary: fc.record({ kind: fc.constant('write' as const), lines: fc.integer({ min: 1, max: 9_000 }) }),
        },
        { weight: 4, arbitrary: fc.constant({ kind: 'look' as const }) },
        { weight: 2, arbitrary: fc.constant({ kind: 'restart' as const }) },
        {
          weight: 1,
          arbitrary: fc.record({ kind: fc.constant('shorten' as const), lines: fc.integer({ min: 0, max: 9_000 }) }),
        },
      )
      fc.assert(
        fc.property(fc.array(act, { maxLength: 25 }), (acts) => {
          const path = makeFile('')
          let log = keepLog({ libc }, { path, limitBytes })
          let written = 0
          let begun = 0
          const look = () => {
            lookAtLog({ libc }, log)
            expect(diskBytes(path)).toBeLessThanOrEqual(limitBytes + 4 * 4_096)
          }
          for (const one of acts) {
            if (one.kind === 'write') {
              appendFileSync(path, linesFrom(written, one.lines))
              written += one.lines
            } else if (one.kind === 'look') look()
            else if (one.kind === 'restart') {
              closeLog(log)
              log = keepLog({ libc }, { path, limitBytes })
              look()
            } else {
              // A hub that comes after a log was shortened has not seen what it was; one that is there has.
              look()
              truncateSync(path, 0)
              begun = written
              appendFileSync(path, linesFrom(written, one.lines))
              written += one.lines
              look()
            }
          }
          look()
          closeLog(log)
          const numbers = [...readWhole(path).matchAll(/^line (\d{9})$/gm)].map((match) => Number(match[1]))
          expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
          if (written === begun) expect(numbers).toEqual([])
          else {
            expect(numbers[0]).toBe(begun)
            expect(numbers.at(-1)).toBe(written - 1)
            // At most half of the end that may be kept is missing, where it is kept in halves.
            const least = Math.min(written - begun, Math.floor(limitBytes / 3 / lineBytes))
            expect(numbers.length).toBeGreaterThanOrEqual(least)
          }
          if (way === 'free')
            for (const number of numbers.slice(-5)) expect(lineAt(path, number * lineBytes)).toBe(number)
        }),
        { numRuns: 25 },
      )
    },
  )
})

describe('killed while it cuts a log', () => {
  const dying: Libc | undefined =
    real === undefined
      ? undefined
      : {
          ...real,
          freeRange: () => {
            throw new Error('killed here')
          },
        }

  test.skipIf(real === undefined)(
    'before anything is given back, it is given back by the next hub, and no reader sees a hole',
    () => {
      const path = makeFile(linesFrom(0, 50_000))
      const log = keepLog({ libc: dying }, { path, limitBytes })
      expect(() => lookAtLog({ libc: dying }, log)).toThrow('killed here')
      closeLog(log)
      const before = readWhole(path)
      expect(diskBytes(path)).toBeGreaterThan(limitBytes)
      const next = keepLog({ libc: real }, { path, limitBytes })
      expect(lookAtLog({ libc: real }, next)).toMatchObject({ shortenedFromBytes: null })
      closeLog(next)
      expect(diskBytes(path)).toBeLessThanOrEqual(limitBytes)
      expect(readWhole(path)).toBe(before)
    },
  )

  test.skipIf(real === undefined)(
    'before anything is given back, and followed by a hub without koffi, it is cut the other way and nothing stays due',
    () => {
      const path = makeFile(linesFrom(0, 50_000))
      const log = keepLog({ libc: dying }, { path, limitBytes })
      expect(() => lookAtLog({ libc: dying }, log)).toThrow('killed here')
      closeLog(log)
      const next = keepLog({ libc: undefined }, { path, limitBytes })
      lookAtLog({ libc: undefined }, next)
      closeLog(next)
      expect(next.toFree).toBeUndefined()
      expect(diskBytes(path)).toBeLessThanOrEqual(limitBytes + 4 * 4_096)
      expect(numbersIn(readWhole(path)).at(-1)).toBe(49_999)
    },
  )

  test('after the end was copied and before the file is shortened, the copy is made anew', () => {
    const path = copiedAndKilled()
    const before = readWhole(path)
    const next = keepLog({ libc: undefined }, { path, limitBytes })
    lookAtLog({ libc: undefined }, next)
    closeLog(next)
    expect(statSync(path).size).toBeLessThan(limitBytes / 2)
    const [then, now] = [before, readWhole(path)].map(numbersIn)
    expect(now?.at(-1)).toBe(then?.at(-1))
    expect(now).toEqual([...new Set(now)].sort((a = 0, b = 0) => a - b))
    expect(now?.length).toBeGreaterThan(limitBytes / 3 / lineBytes)
  })

  test('after the file was shortened and before that is on record, nothing counts as lost and what follows as its rest', () => {
    const path = copiedAndKilled()
    truncateSync(path, readLogParts(path)?.[0]?.to ?? 0)
    appendFileSync(path, linesFrom(50_000, 10))
    const next = keepLog({ libc: undefined }, { path, limitBytes })
    expect(lookAtLog({ libc: undefined }, next)).toMatchObject({ shortenedFromBytes: null })
    closeLog(next)
    // The line right behind such a place is not shown: it may be the rest of one that is lost.
    expect(numbersIn(readWhole(path)).slice(-10)).toEqual([49_999, ...Array.from({ length: 9 }, (_, n) => 50_001 + n)])
  })
})

test.each([
  ['no JSON', 'output'],
  ['empty', ''],
  ['of another schema', '{"schema":2,"parts":[]}'],
  ['without parts', '{"schema":1,"parts":[]}'],
  ['that leads elsewhere', '{"schema":1,"parts":[{"file":"../../secret","at":0,"from":0,"to":null}]}'],
  ['that runs backwards', '{"schema":1,"parts":[{"file":"output.log","at":0,"from":9,"to":3}]}'],
  ['that begins below nothing', '{"schema":1,"parts":[{"file":"output.log","at":-4,"from":0,"to":null}]}'],
  [
    'that counts further than anybody can',
    '{"schema":1,"parts":[{"file":"output.log","at":1e300,"from":0,"to":null}]}',
  ],
  [
    'with more parts than there can be',
    `{"schema":1,"parts":[${Array(9).fill('{"file":"output.log","at":0,"from":0,"to":0}')}]}`,
  ],
])('a record of a log %s is not used: the file is read as it is, and cut', (_, text) => {
  const path = makeFile(linesFrom(0, 50_000))
  writeFileSync(join(dirname(path), 'output.parts'), text)
  expect(readWhole(path)).toBe(linesFrom(0, 50_000))
  const log = keepLog({ libc: real }, { path, limitBytes })
  lookAtLog({ libc: real }, log)
  closeLog(log)
  expect(diskBytes(path)).toBeLessThanOrEqual(limitBytes)
  expect(numbersIn(readWhole(path)).at(-1)).toBe(49_999)
})

const lineBytes = 15
const linesFrom = (from: number, count: number): string =>
  Array.from({ length: count }, (_, at) => `line ${String(from + at).padStart(9, '0')}\n`).join('')
const numbersIn = (text: string): readonly number[] =>
  [...text.matchAll(/^line (\d{9})$/gm)].map((match) => Number(match[1]))

/** A log of 50,000 lines in the moment in which its end has been copied and is on record. */
function copiedAndKilled(): string {
  const path = makeFile(linesFrom(0, 50_000))
  const whole = readFileSync(path)
  const log = keepLog({ libc: undefined }, { path, limitBytes })
  lookAtLog({ libc: undefined }, log)
  closeLog(log)
  const parts = readLogParts(path) ?? []
  writeFileSync(path, whole)
  writeLogParts(path, [...parts.slice(0, -1), { ...parts.at(-1), at: whole.length } as (typeof parts)[number]])
  return path
}

function diskBytes(path: string): number {
  const files = [path, join(dirname(path), 'output.tail')].filter((file) => existsSync(file))
  return files.reduce((sum, file) => sum + statSync(file).blocks * 512, 0)
}

function readWhole(path: string): string {
  let text = ''
  for (let from = 0; ; ) {
    const piece = readLogPiece({ mask }, path, { from, limit: 1e7, open: false, nowMs: 0 })
    if (piece.next <= from) return text
    text += piece.text
    from = piece.next
  }
}

function lineAt(path: string, from: number): number {
  const { text } = readLogPiece({ mask }, path, { from, limit: lineBytes, open: false, nowMs: 0 })
  return Number(text.slice(5))
}
