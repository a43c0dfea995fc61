import { appendFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { endRun, openApiYard, ownSecret, secret, startRun } from '../open-yard.ts'

/** As a range shows a secret: as long as it was. */
const starred = (value: string) => `[secret]${'*'.repeat(value.length - 8)}`
const card = { dir: '/srv/shop', run: 'npm test' }

describe('the log of an attempt', () => {
  test('comes in ranges, masked, as text and nothing else', async () => {
    await using yard = await openApiYard()
    await yard.client.createTask(card)
    const running = startRun(yard)
    writeFileSync(running.log, `key ${secret}\nown ${ownSecret}\nsecond line\n`)
    const size = Buffer.byteLength(`key ${secret}\nown ${ownSecret}\nsecond line\n`)
    expect(await yard.client.log(1)).toEqual({
      text: `key ${starred(secret)}\nown ${starred(ownSecret)}\nsecond line\n`,
      from: 0,
      next: size,
      size,
      gone: 0,
      open: true,
    })
    endRun(yard, running)
    expect(await yard.client.log(1, { from: -12 })).toMatchObject({ text: 'second line\n', open: false })
    const answer = await yard.ask('/api/v1/runs/R1/log')
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('of an attempt that wrote nothing is empty', async () => {
    await using yard = await openApiYard()
    await yard.client.createTask(card)
    startRun(yard)
    expect(await yard.client.log(1)).toEqual({ text: '', from: 0, next: 0, size: 0, gone: 0, open: true })
  })

  test.each(['http', 'in process'] as const)('is followed to its end over %s', async (way) => {
    await using yard = await openApiYard()
    await yard.client.createTask(card)
    const running = startRun(yard)
    writeFileSync(running.log, 'one\n')
    const client = way === 'http' ? yard.client : yard.api.connect()
    let text = ''
    for await (const piece of client.followLog(1, 0, new AbortController().signal)) {
      text += piece
      if (text === 'one\n') appendFileSync(running.log, `two ${secret}\n`)
      if (text.endsWith(`two ${starred(secret)}\n`)) {
        appendFileSync(running.log, 'three, without an end of line')
        endRun(yard, running)
      }
    }
    expect(text).toBe(`one\ntwo ${starred(secret)}\nthree, without an end of line`)
  })

  test('is followed no longer than somebody reads', async () => {
    await using yard = await openApiYard()
    await yard.client.createTask(card)
    writeFileSync(startRun(yard).log, 'one\n')
    const reader = new AbortController()
    for await (const piece of yard.client.followLog(1, 0, reader.signal)) {
      expect(piece).toBe('one\n')
      reader.abort()
    }
  })
})
