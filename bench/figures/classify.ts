import { classify } from '../../src/worker/provider/faults/classify.ts'
import type { CallEvidence } from '../../src/worker/provider/faults/evidence.ts'
import { faultFixtures } from '../../tests/worker/provider/faults/fixtures/fault-fixtures.ts'
import { type Bench, measureBoth } from '../figure.ts'
import { median } from '../statistics.ts'

const calls = 400
const nowMs = 1_786_320_000_000

const evidence = faultFixtures.map(
  ({ status, headers = {}, body, conversation }): CallEvidence => ({
    cutBy: null,
    phase: 'body',
    status,
    headers,
    body: Buffer.from(body as string).toString('utf8'),
    cause: null,
    baseUrl: 'https://api.example.test/v1',
    ...(conversation && { conversation }),
  }),
)

/** What it costs to understand a refusal, over every row of the provider table; beside what only parsing its body costs. */
export const classifyTime: Bench = {
  figures: [
    {
      id: 'classify_us',
      says: `microseconds to tell a refusal apart; median of ${evidence.length} rows, ${calls} calls each`,
      goal: { atMost: 50 },
    },
    {
      id: 'classify_vs_parse',
      says: 'the same over JSON.parse of the same bodies: it also reads headers, hashes and matches sentences',
      goal: { atMost: 40 },
    },
  ],
  async open() {
    return {
      async measure(first) {
        const { ours, peer } = await measureBoth(
          first,
          async () => median(evidence.map((one) => timeUs(() => classify(one, nowMs)))),
          async () => median(evidence.map(({ body }) => timeUs(() => parse(body ?? '')))),
        )
        return { classify_us: ours, classify_vs_parse: ours / peer }
      },
      close: async () => {},
    }
  },
}

function timeUs(call: () => unknown): number {
  const began = performance.now()
  for (let i = 0; i < calls; i += 1) call()
  return ((performance.now() - began) * 1_000) / calls
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined // pages and nothing: part of what is measured
  }
}
