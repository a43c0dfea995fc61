import { expect, test } from 'vitest'
import type { RunClient } from '../../../src/api/client/index.ts'
import type { Clock } from '../../../src/kernel/index.ts'
import { BoardState } from '../../../src/worker/board/board-state.ts'
import { beat } from '../../../src/worker/board/follow-board.ts'
import type { HubLine } from '../../../src/worker/board/hub-line.ts'

/** A clock that the test moves, minute by minute. */
class HandClock implements Clock {
  nowAtMs = 0
  #beat: () => void = () => {}
  nowMs = () => this.nowAtMs
  monotonicMs = () => this.nowAtMs
  after(): void {}
  every(_: number, __: AbortSignal, beat: () => void): void {
    this.#beat = beat
  }
  sleep = async () => {}
  passMinutes(minutes: number): void {
    for (let minute = 0; minute < minutes; minute += 1) {
      this.nowAtMs += 60_000
      this.#beat()
    }
  }
}

test('C16 · a worker that lives and does not get on says so with its heartbeat, a few times, and then no longer says that it lives', () => {
  const clock = new HandClock()
  const said: (string | undefined)[] = []
  const heartbeat = async (note?: string) => {
    said.push(note)
    return { run: 1 }
  }
  const line: HubLine = { ask: (_, call) => call({ heartbeat } as unknown as RunClient, new AbortController().signal) }
  let progressMs = 0
  const state = new BoardState((text) => text)
  beat({ clock, line, state }, { vetoAfterMs: 1_200_000, progressMs: () => progressMs }, new AbortController().signal)

  clock.passMinutes(12)
  expect(said.flatMap((note, minute) => (note === undefined ? [] : [`${minute + 1} ${note}`]))).toEqual([
    '5 it lives, and nothing new has come of its work for 5m',
    '10 it lives, and nothing new has come of its work for 10m',
  ])

  progressMs = clock.nowAtMs
  clock.passMinutes(5)
  expect(said.slice(12)).toEqual([undefined, undefined, undefined, undefined, expect.stringContaining('for 5m')])

  clock.passMinutes(60)
  expect(said).toHaveLength(12 + 20) // twenty minutes after its last progress it is silent
})
