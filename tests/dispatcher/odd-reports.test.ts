import { expect, test } from 'vitest'
import { startYard } from './start-yard.ts'

/** A command that leaves this report and ends with 0. */
const leaves = (body: string): string =>
  `printf '{"schema":1,"run":%s,"fence":%s,"status":"completed",%s}' "\${YARDMASTER_RUN#R}" "$YARDMASTER_FENCE" '${body}' > "$YARDMASTER_REPORT"`

test.each([
  [
    'numbers that no store can hold',
    leaves('"usage":{"inputTokens":1e300,"cachedTokens":0,"outputTokens":0,"calls":1}'),
  ],
  [
    'numbers that are not exact',
    leaves('"usage":{"inputTokens":9007199254740993,"cachedTokens":0,"outputTokens":0,"calls":1}'),
  ],
  [
    'data nested a hundred thousand deep',
    `node -e 'const d = "[".repeat(100000) + "]".repeat(100000); process.stdout.write("{\\"schema\\":1,\\"run\\":" + process.env.YARDMASTER_RUN.slice(1) + ",\\"fence\\":" + process.env.YARDMASTER_FENCE + ",\\"status\\":\\"completed\\",\\"data\\":" + d + "}")' > "$YARDMASTER_REPORT"`,
  ],
])('a report with %s is refused with that note, and keeps nobody else from ending', async (_, run) => {
  await using yard = await startYard({ onFault: () => {} })
  const odd = yard.add({ run })
  const other = yard.add({ run: 'true' })
  expect((await yard.over(other)).status).toBe('done')
  expect((await yard.over(odd)).status).toBe('done')
  expect(yard.runs(odd)[0]).toMatchObject({ outcome: 'done', usage: null, data: null })
  expect(yard.runs(odd)[0]?.reason).toContain('Its report was not used')
})

test('what a provider refused is kept in short and masked, also where nothing else was counted', async () => {
  const key = `AKIA${'IOSFODNN7'}EXAMPLE`
  await using yard = await startYard()
  const error = `{"class":"failed","reason":"bad_request","status":400,"code":"${key}","requestId":"${'r'.repeat(900)}"}`
  const id = yard.add({ run: leaves(`"error":${error}`) })
  await yard.over(id)
  const refusal = { class: 'failed', reason: 'bad_request', provider: null, status: 400, code: '[secret]' }
  expect(yard.runs(id)[0]?.spent).toMatchObject({ model: null, refusal: { ...refusal, requestId: 'r'.repeat(200) } })
})

test('the name of a model in a report is masked before it is kept', async () => {
  const key = `AKIA${'IOSFODNN7'}EXAMPLE`
  await using yard = await startYard()
  const id = yard.add({ run: leaves(`"model":"m ${key}","counts":{"turns":1}`) })
  await yard.over(id)
  expect(yard.runs(id)[0]?.spent).toMatchObject({ model: 'm [secret]', counts: { turns: 1 } })
})
