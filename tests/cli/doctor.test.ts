import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import picocolors from 'picocolors'
import { describe, expect, test } from 'vitest'
import { findingLines, sumLine } from '../../src/cli/doctor/doctor-lines.ts'
import type { Check } from '../../src/main.ts'
import { aHome } from './a-home.ts'

const checks: readonly Check[] = [
  { name: 'home', state: 'ok', says: '/home/ana/yard, mode 0700', fix: null },
  { name: 'machine', state: 'warn', says: 'this system has no machine id', fix: 'systemd-machine-id-setup' },
  { name: 'disk', state: 'bad', says: '10 MiB free', fix: 'make room' },
]

describe('doctor', () => {
  test('shows each finding with what to do below it, and what to mend first at the end', () => {
    const look = { paint: picocolors.createColors(false) }
    expect([...findingLines(checks, look), sumLine(checks, look)].join('\n')).toBe(
      [
        'ok    home     /home/ana/yard, mode 0700',
        'warn  machine  this system has no machine id',
        '               fix: systemd-machine-id-setup',
        'bad   disk     10 MiB free',
        '               fix: make room',
        '1 ok · 1 warning · 1 bad  Mend disk first.',
      ].join('\n'),
    )
  })

  test('ends with 0 where nothing is bad and with 1 where something is, as JSON, too', async () => {
    await using yard = aHome()
    const fine = await yard.type('doctor')
    expect(fine).toMatchObject({ code: 0, err: '' })
    expect(fine.out).toMatch(/^ok +program .*[\s\S]*Nothing is broken\.\n$/)
    writeFileSync(join(yard.cwd, 'yardmaster.yaml'), 'slots: many\n')
    const faulty = await yard.type('doctor', '--json')
    expect(faulty.code).toBe(1)
    expect(JSON.parse(faulty.out)).toMatchObject({
      ok: false,
      checks: expect.arrayContaining([expect.objectContaining({ name: 'config', state: 'bad' })]),
    })
    const quiet = await yard.type('doctor', '-q')
    expect(quiet.out).not.toMatch(/^ok /m)
    expect(quiet.out).toContain('bad   config')
  })
})
