import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { adviseOnOrphans, describeAuthority } from '../../../src/dispatcher/supervisor/index.ts'
import { loadLibc } from '../../../src/kernel/process/index.ts'
import { bundleFixture, readFirstLine, startProgram } from '../../kernel/process/run-bundled.ts'
import { openSupervised } from './supervised.ts'

const inNamespace = ['unshare', '--pid', '--fork', '--mount-proc']
const canUnshare = tries([...inNamespace, 'true'])
const hasKoffi = (await loadLibc()) !== undefined

test.skipIf(!canUnshare || !hasKoffi)(
  'C34: a hub that is PID 1 collects orphans of its workers, and takes no end from whoever waits for it (needs a PID namespace and koffi)',
  async () => {
    const yard = await openSupervised()
    const orphans =
      'for round in 1 2 3; do i=0; while [ $i -lt 20 ]; do (sleep 0.05 &); i=$((i+1)); done; sleep 0.3; done'
    const order = yard.order(['/bin/sh', '-c', orphans])
    const program = await bundleFixture('pid-one.ts')
    const inside = startProgram([...inNamespace, process.execPath, program], JSON.stringify({ order, libc: 'use' }))
    const seen = JSON.parse(await readFirstLine(inside))
    expect(seen).toMatchObject({ pid: 1, swept: true, stolen: 0, asked: 100, left: 0 })
    expect(seen.most).toBeGreaterThan(5) // else there was nothing to collect
  },
)

test('a hub that is PID 1 and cannot collect them is told the remedy at its start', async () => {
  expect(await adviseOnOrphans({ hubPid: 4_121 })).toBeUndefined()
  const advice = await adviseOnOrphans({ hubPid: 1 })
  if (hasKoffi) expect(advice).toBeUndefined()
  else expect(advice).toContain('docker run --init')
})

test('with what means processes are ended here is found out by trying', async () => {
  const authority = await describeAuthority({ hubPid: process.pid })
  const [major = 0, minor = 0] = execFileSync('uname', ['-r'], { encoding: 'utf8' }).split('.').map(Number)
  const hasGroups = major > 6 || (major === 6 && minor >= 9)
  expect(authority.signals).toBe(!hasKoffi ? 'by_number' : hasGroups ? 'pidfd_groups' : 'pidfd')
  expect(authority.deathSignal).toBe(tries(['setpriv', '--pdeathsig', 'KILL', '--', 'true']) ? 'works' : 'missing')
  expect(authority).toMatchObject({ processes: expect.stringMatching(/^(seen|hidden)$/), orphans: 'init' })
  if (!authority.cgroups.ok) expect(authority.cgroups.why).not.toBe('')
})

function tries([program = '', ...args]: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
