import { describe, expect, test } from 'vitest'
import type { Authority } from '../../../src/dispatcher/supervisor/index.ts'
import { sayAuthority } from '../../../src/main/doctor/check-processes.ts'

const full: Authority = {
  signals: 'pidfd_groups',
  cgroups: { ok: true, base: { folder: '/sys/fs/cgroup/yard', controllers: ['memory', 'pids'] } },
  deathSignal: 'works',
  processes: 'seen',
  orphans: 'init',
}

describe('what doctor says of the means to watch and end attempts', () => {
  test('is fine where everything is there', () => {
    expect(sayAuthority(full).map(({ state }) => state)).toEqual(Array(5).fill('ok'))
    expect(sayAuthority(full)[1]?.says).toContain('limits of memory and pids')
  })

  test.each<[string, Partial<Authority>, string, RegExp]>([
    ['without koffi', { signals: 'by_number' }, 'warn', /number that is compared/],
    ['without delegated groups', { cgroups: { ok: false, why: 'no v2' } }, 'warn', /no v2\. What leaves/],
    ['without setpriv', { deathSignal: 'missing' }, 'warn', /setpriv is missing/],
    ['as PID 1 without koffi', { orphans: 'nobody' }, 'warn', /PID 1 and cannot/],
    ['with /proc closed', { processes: 'unreadable' }, 'bad', /\/proc cannot be read/],
  ])('%s says what is weaker, and what to do', (_, over, state, says) => {
    const found = sayAuthority({ ...full, ...over }).filter((check) => check.state !== 'ok')
    expect(found).toMatchObject([{ state, says: expect.stringMatching(says), fix: expect.any(String) }])
  })
})
