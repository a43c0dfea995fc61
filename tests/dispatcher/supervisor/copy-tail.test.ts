import { execFileSync } from 'node:child_process'
import { appendFileSync, closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { addToTail, copyTail, tailName } from '../../../src/dispatcher/supervisor/copy-tail.ts'
import { makeFile } from '../../runs/run-folder.ts'

/** A log of two lines, of which the second was copied; then the worker printed on. */
function copied() {
  const path = makeFile('first\nsecond\n')
  const descriptor = openSync(path, 'r+')
  onTestFinished(() => closeSync(descriptor))
  const copy = copyTail(path, { descriptor, from: 6 })
  appendFileSync(path, 'third\n')
  return { path, descriptor, copied: copy, tail: join(dirname(path), tailName) }
}

test('what a worker printed after its log was copied is in the copy before the log is shortened', () => {
  const { path, tail, ...how } = copied()
  let seen = ''
  const all = addToTail(path, how, () => {
    seen = readFileSync(tail, 'utf8')
  })
  expect(seen).toBe('second\nthird\n')
  expect(all).toEqual({ bytes: 13, upTo: 19 })
})

test('where the copy is gone, or a pipe in its place, the log is shortened all the same', () => {
  const { path, tail, ...how } = copied()
  let cuts = 0
  const cut = () => {
    cuts += 1
  }
  rmSync(tail)
  expect(addToTail(path, how, cut)).toEqual(how.copied)
  execFileSync('mkfifo', [tail])
  expect(addToTail(path, how, cut)).toEqual(how.copied)
  expect(cuts).toBe(2)
})

test('where nothing could be copied nothing is added: there would be a hole in front of it', () => {
  const { path, descriptor, tail } = copied()
  expect(addToTail(path, { descriptor, copied: { bytes: 0, upTo: 13 } }, () => {})).toEqual({ bytes: 0, upTo: 13 })
  expect(readFileSync(tail, 'utf8')).toBe('second\n')
})
