import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createValueMask, encodingsOf, systemClock } from '../../../../../src/kernel/index.ts'
import { createByteMask } from '../../../../../src/worker/tools/terminal/output/byte-mask.ts'
import { ByteRing } from '../../../../../src/worker/tools/terminal/output/byte-ring.ts'
import { CommandOutput } from '../../../../../src/worker/tools/terminal/output/command-output.ts'
import { createColourFilter } from '../../../../../src/worker/tools/terminal/output/drop-colours.ts'
import { maskSpilled } from '../../../../../src/worker/tools/terminal/output/mask-spilled.ts'
import { SpillFile } from '../../../../../src/worker/tools/terminal/output/spill-file.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'yardmaster-output-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})

const secret = 'canary/key+1234'

describe('known secrets', () => {
  const masked = (secrets: readonly string[], chunks: readonly Buffer[]) => {
    const mask = createByteMask(secrets)
    return Buffer.concat([...chunks.map((chunk) => mask.push(chunk)), mask.end()]).toString()
  }

  test('are masked wherever the stream is cut, in every encoding', () => {
    for (const form of encodingsOf(secret)) {
      const text = Buffer.from(`before ${form} after`)
      for (let at = 0; at <= text.length; at += 1)
        expect(masked([secret], [text.subarray(0, at), text.subarray(at)])).toBe('before [secret] after')
    }
  })

  test('are masked where colours stand in them, however the stream is cut', () => {
    const coloured = Buffer.from(
      `a\u001b[0;1mb ${secret.slice(0, 5)}\u001b[01;31m\u001b[K${secret.slice(5)}\u001b[m \u001b]8;; \u001b[`,
    )
    for (let at = 0; at <= coloured.length; at += 1) {
      const output = new CommandOutput({ knownSecrets: [secret], spillPath: join(folder, 'x'), room: { leftBytes: 1 } })
      output.add('stdout', coloured.subarray(0, at))
      output.add('stdout', coloured.subarray(at))
      output.end()
      expect(output.whole()).toBe('ab [secret] \\x1b]8;; \\x1b[')
    }
    const filter = createColourFilter()
    expect(filter.push(Buffer.from(`\u001b[${'1'.repeat(30)}m`)).toString()).toBe(`\u001b[${'1'.repeat(30)}m`)
  })

  test('are masked with whatever overlaps them, so that no rest of one stays', () => {
    const chunks = [...'x aaaabbbbccccdddd y'].map((char) => Buffer.from(char))
    expect(masked(['aaaabbbb', 'bbbbcccc', 'ccccdddd'], chunks)).toBe('x [secret] y')
    expect(
      masked(
        ['aaaaaaaa'],
        Array.from({ length: 100 }, () => Buffer.from('a')),
      ),
    ).toBe('[secret]')
  })

  test('of those that begin together the longest is masked', () => {
    const text = 'abcdefgh-longer abcdefgh-long abcdefgh'
    const chunks = [...text].map((char) => Buffer.from(char))
    expect(masked(['abcdefgh', 'abcdefgh-longer'], chunks)).toBe('[secret] [secret]-long [secret]')
  })

  test('how a stream is cut changes nothing', () => {
    const secrets = ['aabaabaa', 'abaabaab', 'baabaabab']
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'aab'), maxLength: 80 })
    fc.assert(
      fc.property(text, fc.array(fc.nat(80), { maxLength: 8 }), (whole, cuts) => {
        const bytes = Buffer.from(whole)
        const places = [0, ...cuts.filter((at) => at <= bytes.length).sort((a, b) => a - b), bytes.length]
        const chunks = places.slice(1).map((to, n) => bytes.subarray(places[n], to))
        const once = masked(secrets, [bytes])
        expect(masked(secrets, chunks)).toBe(once)
        expect(once).toBe(createValueMask(secrets)(whole)) // what is masked is what a text has masked
        for (const one of secrets) expect(once).not.toContain(one)
      }),
    )
  })

  test('hold back nothing that cannot be the beginning of one', () => {
    const mask = createByteMask([secret])
    expect(mask.push(Buffer.from('listening on 3000\n')).toString()).toBe('listening on 3000\n')
    expect(mask.push(Buffer.from('key: cana')).toString()).toBe('key: ')
    expect(mask.push(Buffer.from('da')).toString()).toBe('canada')
  })

  test('bytes that are no text pass through unchanged', () => {
    const bytes = Buffer.from(Array.from({ length: 512 }, (_, n) => n % 256))
    const mask = createByteMask([secret])
    expect(Buffer.concat([mask.push(bytes), mask.end()])).toEqual(bytes)
  })
})

test('a ring keeps the last bytes, each with its place', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), fc.nat(200), fc.nat(200), (chunks, from, length) => {
      const ring = new ByteRing({ mostBytes: 64 })
      for (const chunk of chunks) ring.add(Buffer.from(chunk))
      const whole = Buffer.concat(chunks)
      expect(ring.total).toBe(whole.length)
      expect(ring.first).toBe(Math.max(0, whole.length - 64))
      expect(ring.read(from, from + length)).toEqual(
        whole.subarray(Math.max(from, ring.first), Math.max(from, ring.first, from + length)),
      )
    }),
  )
})

describe('an output', () => {
  const outputOf = (...chunks: readonly (Buffer | string)[]) => {
    const output = new CommandOutput({
      knownSecrets: [secret],
      spillPath: join(folder, 'made', 'command-1.txt'),
      room: { leftBytes: 1e9 },
    })
    for (const chunk of chunks) output.add('stdout', Buffer.from(chunk as string))
    return output
  }

  test('of up to 30,000 characters is told whole, also where a character has four bytes', () => {
    expect(outputOf('x'.repeat(30_000)).whole()).toBe('x'.repeat(30_000))
    expect(existsSync(join(folder, 'made'))).toBe(false)
    const wide = outputOf('😀'.repeat(30_000))
    expect(wide.whole()).toBe('😀'.repeat(30_000))
    expect(wide.describeSpill()).toBeUndefined()
  })

  test('that is longer keeps two fifths of its head and three of its tail, and the cut is named with its bytes', () => {
    const output = outputOf('h'.repeat(20_000), 'm'.repeat(500_000), 't'.repeat(20_000))
    output.end()

    expect(output.whole()).toBe(`${'h'.repeat(12_000)}\n[… 510000 bytes left out here …]\n${'t'.repeat(18_000)}`)
  })

  test('is cut between characters', () => {
    const text = outputOf('a', 'ü€😀'.repeat(20_000)).whole()

    expect(text).not.toContain('\ufffd')
    expect([...text].length).toBeLessThan(30_100)
  })

  test('is whole in a file that nobody else may read, secrets masked', () => {
    const output = outputOf('x'.repeat(40_000), secret.slice(0, 5), secret.slice(5), 'y')
    output.end()

    const path = join(folder, 'made', 'command-1.txt')
    expect(readFileSync(path, 'utf8')).toBe(`${'x'.repeat(40_000)}[secret]y`)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(output.describeSpill()).toBe(`the whole output is in ${path}: read and search can look into it`)
    expect(output.whole()).not.toContain(secret)
  })

  test('tells what is new since the last look, once', () => {
    const output = outputOf('one\n')
    expect([output.hasNews, output.sinceLook()]).toEqual([true, 'one\n'])
    expect([output.hasNews, output.sinceLook()]).toEqual([false, ''])
    output.add('stderr', Buffer.from('two\n'))
    expect([output.hasNews, output.sinceLook()]).toEqual([true, 'two\n'])
  })

  test('since the last look names what has left the memory meanwhile', () => {
    const output = outputOf('x'.repeat(60_000))
    output.sinceLook()
    output.add('stdout', Buffer.alloc(300_000, 'y'))

    expect(output.sinceLook()).toBe(`\n[… 282000 bytes left out here …]\n${'y'.repeat(18_000)}`)
  })

  test('gives any stretch that is still there, with its places', () => {
    const output = outputOf('0123456789')
    expect(output.stretch({ from: 2, bytes: 3 })).toEqual({ text: '234', from: 2, to: 5 })
    expect(output.stretch({ from: undefined, bytes: 4 })).toEqual({ text: '6789', from: 6, to: 10 })
    expect(output.stretch({ from: 50, bytes: 4 })).toEqual({ text: '', from: 10, to: 10 })
    output.add('stdout', Buffer.alloc(300_000, 'y'))
    expect(output.stretch({ from: 0, bytes: 11 }).text).toBe('0123456789y')
    expect(output.stretch({ from: 60_000, bytes: 5 })).toEqual({ text: 'yyyyy', from: 100_010, to: 100_015 })
  })

  test('control characters and invalid bytes are shown as text and never make it longer than its room', () => {
    expect(outputOf(Buffer.from('\u001b[31mred\u001b[0m \0 \xff \u0007', 'latin1')).whole()).toBe(
      'red \\x00 \ufffd \\x07',
    )
    for (const byte of [0, 0x80, 0xff, 0xc3, 0xf0]) {
      const output = outputOf(Buffer.alloc(1_000_000, byte))
      expect(output.whole().length).toBeLessThan(30_100)
    }
  })
})

describe('the file of an output', () => {
  test('takes the place of one that another worker has left, and follows no link there', () => {
    writeFileSync(join(folder, 'other'), 'kept')
    symlinkSync(join(folder, 'other'), join(folder, 'a'))
    const file = new SpillFile({ path: join(folder, 'a'), mostBytes: 10, room: { leftBytes: 100 } })
    file.write(Buffer.from('new'))
    file.close()

    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('new')
    expect(readFileSync(join(folder, 'other'), 'utf8')).toBe('kept')
  })

  test('ends at its limit, and says that it does', () => {
    const file = new SpillFile({ path: join(folder, 'a'), mostBytes: 10, room: { leftBytes: 100 } })
    file.write(Buffer.from('01234567'))
    file.write(Buffer.from('89abc'))
    file.write(Buffer.from('more'))
    file.close()

    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('0123456789')
    expect(file.describe(17)).toContain('its first 10 bytes are in')
  })

  test('takes no more than what is left for all of them', () => {
    const room = { leftBytes: 12 }
    const files = ['a', 'b', 'c'].map((name) => new SpillFile({ path: join(folder, name), mostBytes: 10, room }))
    for (const file of files) {
      file.write(Buffer.from('0123456789'))
      file.close()
    }
    expect(['a', 'b', 'c'].map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(['0123456789', '01', ''])
    expect(files[1]?.describe(10)).toContain('its first 2 bytes are in')
    expect(files[2]?.describe(10)).toContain('was not kept: too much was printed before')
  })

  test('that cannot be written is told with the reason, and the command goes on', () => {
    writeFileSync(join(folder, 'file'), '')
    const file = new SpillFile({ path: join(folder, 'file', 'a'), mostBytes: 10, room: { leftBytes: 100 } })
    file.write(Buffer.from('x'))
    file.write(Buffer.from('x'))
    file.close()

    expect(file.describe(2)).toMatch(/^the whole output could not be kept \(E(NOTDIR|EXIST)\)/)
  })
})

describe('outputs that outlive their worker', () => {
  const key = `AKIA${'IOSFODNN7'}EXAMPLE`

  test('keep nothing that looks like a secret, also across the pieces in which they are masked', async () => {
    const path = join(folder, 'command-1.txt')
    for (const before of [10, 2 ** 20 - 7, 2 ** 20, 2 ** 21 - 3]) {
      const text = `${'x'.repeat(before - 1)} ${key} and ${secret} end\n`
      writeFileSync(path, text)
      await maskSpilled({ clock: systemClock, knownSecrets: [secret] }, { folder, withinMs: 10_000 })
      const masked = readFileSync(path, 'utf8')
      expect(masked).not.toContain(key)
      expect(masked).not.toContain(secret)
      expect(masked.length).toBe(text.length)
      expect(masked.endsWith(' end\n')).toBe(true)
    }
    expect(readdirSync(folder)).toEqual(['command-1.txt'])
  })

  test('are removed where there is no time to mask them; other files are let be', async () => {
    writeFileSync(join(folder, 'command-1.txt'), key)
    writeFileSync(join(folder, 'notes.txt'), key)
    await maskSpilled({ clock: systemClock, knownSecrets: [] }, { folder, withinMs: 0 })
    expect(readdirSync(folder)).toEqual(['notes.txt'])
    await maskSpilled({ clock: systemClock, knownSecrets: [] }, { folder: join(folder, 'none'), withinMs: 0 })
  })
})
