import { describe, expect, test } from 'vitest'
import { refuseAddress } from '../../../src/api/auth/address-check.ts'

const codeFor = (host: string | undefined, origin?: string) => refuseAddress({ host, origin, port: 7420 })?.code

describe('C159: the address of a request', () => {
  test.each(['127.0.0.1:7420', 'localhost:7420', 'LOCALHOST:7420', '[::1]:7420'])('%s is ours', (host) => {
    expect(codeFor(host)).toBeUndefined()
    expect(codeFor(host, `http://${host}`)).toBeUndefined()
  })

  test.each([
    undefined,
    '',
    'evil.example:7420',
    '127.0.0.1',
    '127.0.0.1:80',
    '127.0.0.1.evil.example:7420',
    'x@localhost:7420',
  ])('host %s is refused', (host) => expect(codeFor(host)).toBe('API_WRONG_HOST'))

  test.each(['http://evil.example', 'null', 'https://127.0.0.1:7420', 'http://127.0.0.1:7421'])(
    'a page of %s is refused',
    (origin) => expect(codeFor('127.0.0.1:7420', origin)).toBe('API_WRONG_ORIGIN'),
  )
})
