import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayEndsInMs } from '../../../../src/worker/provider/faults/day-quota.ts'
import { Rehearsed, requireFreshBuild } from '../../chat-worker.ts'
import { type FaultServer, refuse, startFaultServer } from '../../fault-server.ts'
import { faultFixtures } from './fixtures/fault-fixtures.ts'

/** One server for all: which row it sends is the name of the model that is asked. */
const rows = faultFixtures.map((fixture, index) => ({ ...fixture, model: `row-${index}` }))
const wordsIn = { aLargeConversation: 'word '.repeat(400_000) }
const clockDriftMs = 60_000

let server: FaultServer
beforeAll(async () => {
  requireFreshBuild()
  const answers = rows.map(({ model, status, body, headers }) => ({
    when: { model },
    ...refuse(status, body, headers),
  }))
  server = await startFaultServer(answers)
})
afterAll(() => server.stop())

describe('a real worker means what the classifier says: bytes in, exit code and report out', () => {
  test.concurrent.each(rows)(
    '$name',
    async ({ model, conversation, means, exit, needsHuman, retryAfterMs, until, record }) => {
      await using folder = new Rehearsed({ baseUrl: server.baseUrl, stop: async () => {}, calls: [] })
      const prompt = join(folder.folder, 'prompt.md')
      writeFileSync(prompt, conversation === undefined ? 'go' : wordsIn.aLargeConversation)
      const before = Date.now()

      const ended = await folder.boardWorker(['-q', 'go', '--prompt-file', prompt, '--retries', '0', '--model', model])
        .ended

      const report = folder.report()
      const { provider, status, ...kept } = record ?? {}
      expect(ended.code).toBe(exit)
      expect(report).toMatchObject({
        status: exit === 75 ? 'wall' : 'failed',
        reason: means[1],
        needsHuman,
        served: false,
        result: null,
        error: { class: means[0], reason: means[1], ...kept },
      })
      if (retryAfterMs === null) expect(report.retryAt).toBeNull()
      else {
        // A day may end while it works.
        const expected = [before, Date.now()].map((ms) => ms + (until === 'day_ends' ? dayEndsInMs(ms) : retryAfterMs))
        const off = expected.map((ms) => Math.abs(Date.parse(report.retryAt ?? '') - ms))
        expect(Math.min(...off)).toBeLessThan(clockDriftMs)
      }
    },
  )
})
