import { expect, test } from 'vitest'
import type { Clock } from '../../../src/kernel/index.ts'
import { RunTime } from '../../../src/worker/chat/run-time.ts'

/** A clock whose two hands are moved by the test. */
class HandClock implements Clock {
  wallMs = 1_000_000
  monoMs = 5_000
  #timers: { readonly atMs: number; readonly beat: () => void; readonly signal: AbortSignal }[] = []

  nowMs = () => this.wallMs
  monotonicMs = () => this.monoMs
  after(ms: number, signal: AbortSignal, beat: () => void): void {
    this.#timers.push({ atMs: this.monoMs + ms, beat, signal })
  }
  every(): void {}
  sleep = async () => {}
  pass(ms: number): void {
    this.monoMs += ms
    const due = this.#timers.filter(({ atMs }) => atMs <= this.monoMs)
    this.#timers = this.#timers.filter((timer) => !due.includes(timer))
    for (const { beat, signal } of due) if (!signal.aborted) beat()
  }
}

test('a run has its time whatever the wall clock does in it', () => {
  const clock = new HandClock()
  let checkpoints = 0
  const time = new RunTime({ clock }, { startedMs: 5_000, runMs: 600_000, onCheckpoint: () => (checkpoints += 1) })

  clock.wallMs += 86_400_000 // a day ahead
  clock.pass(539_000)
  expect([checkpoints, time.up.aborted, time.leftMs()]).toEqual([0, false, 61_000])
  clock.wallMs -= 2 * 86_400_000
  clock.pass(1_000)
  expect([checkpoints, time.up.aborted]).toEqual([1, false])
  clock.pass(30_000)
  expect([time.up.aborted, time.over.aborted]).toEqual([true, false])
  clock.pass(29_000)
  expect(time.over.aborted).toBe(true)
})

test('time that passed before its loop began counts', () => {
  const clock = new HandClock()
  const time = new RunTime({ clock }, { startedMs: -580_000, runMs: 600_000, onCheckpoint: () => {} })

  clock.pass(0)

  expect(time.up.aborted).toBe(true)
})

test('a run without an end has none, and one that is over fires nothing more', () => {
  const clock = new HandClock()
  const endless = new RunTime({ clock }, { startedMs: 0, runMs: null, onCheckpoint: () => {} })
  const closed = new RunTime({ clock }, { startedMs: 5_000, runMs: 1_000, onCheckpoint: () => {} })

  closed.close()
  clock.pass(10_000_000)

  expect([endless.view(), endless.leftMs(), endless.up.aborted, closed.up.aborted]).toEqual([null, null, false, false])
})
