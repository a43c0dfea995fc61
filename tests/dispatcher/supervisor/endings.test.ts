import { readdirSync, readlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readExitRecord } from '../../../src/runs/index.ts'
import { fixture, isAlive, openSupervised, ways } from './supervised.ts'

const sh = (text: string) => ['/bin/sh', '-c', text] as const
const code = (n: number) => ({ kind: 'code', code: n })
const signal = (name: string) => ({ kind: 'signal', signal: name })

describe.each(ways)('with the C library: %s', (libc) => {
  test.each([
    ['C56: exit 0', sh('exit 0'), code(0)],
    ['C56: exit 75', sh('exit 75'), code(75)],
    ['C56: exit 1', sh('exit 1'), code(1)],
    ['C56: death by KILL', sh('kill -KILL $$'), signal('SIGKILL')],
    ['death by SEGV', sh('kill -SEGV $$'), signal('SIGSEGV')],
    ['a command that is not there', ['/no/such/command'], code(127)],
    ['a file that is not executable', ['/etc/passwd'], code(126)],
  ])('%s is told the same by the process and by its record', async (_title, argv, end) => {
    const yard = await openSupervised({ libc })
    const { run } = yard.run(argv)
    expect(await yard.exited(run)).toMatchObject({
      run,
      fence: 7,
      wait: end,
      record: end,
      delivered: false,
      otherBoot: false,
      adopted: false,
    })
    await yard.swept(run)
  })

  test('a signal to the group ends the worker, and the shim still writes how', async () => {
    const yard = await openSupervised({ libc })
    const { run, pid } = yard.run(sh('echo up; exec sleep 60'))
    await yard.said(run, /up/)
    process.kill(-pid, 'SIGTERM')
    expect(await yard.exited(run)).toMatchObject({ wait: signal('SIGTERM'), record: signal('SIGTERM') })
    const interrupted = yard.run(sh('echo up; exec sleep 60'))
    await yard.said(interrupted.run, /up/)
    process.kill(-interrupted.pid, 'SIGINT')
    expect(await yard.exited(interrupted.run)).toMatchObject({ wait: signal('SIGINT'), record: signal('SIGINT') })
  })

  test('KILL to the group leaves no record, and the wait status tells', async () => {
    const yard = await openSupervised({ libc })
    const { run, pid } = yard.run(sh('echo up; exec sleep 60'))
    await yard.said(run, /up/)
    process.kill(-pid, 'SIGKILL')
    expect(await yard.exited(run)).toMatchObject({ wait: signal('SIGKILL'), record: null, delivered: false })
  })

  test('a shim that is killed alone takes its worker along', async () => {
    const yard = await openSupervised({ libc })
    const { run, pid } = yard.run(sh('echo "worker $$"; exec sleep 60'))
    const worker = Number((await yard.said(run, /worker (\d+)/))[1])
    process.kill(pid, 'SIGKILL')
    expect(await yard.exited(run)).toMatchObject({ wait: signal('SIGKILL'), record: null })
    await yard.swept(run)
    expect(isAlive(worker)).toBe(false)
  })

  test('a run that is discarded at its gate has run nothing and says never', async () => {
    const yard = await openSupervised({ libc })
    const order = yard.order(sh('echo ran'))
    expect(yard.supervisor.launch(order).ok).toBe(true)
    yard.supervisor.discard(order.run)
    expect(await yard.exited(order.run)).toMatchObject({ wait: null, record: 'never', delivered: false })
    expect(readExitRecord(order.runDir)).toBe('never')
    expect(yard.log(order.run)).toBe('')
    await yard.swept(order.run)
  })

  test('a stop at the gate discards, and TERM at the gate runs nothing', async () => {
    const yard = await openSupervised({ libc })
    const stopped = yard.order(sh('echo ran'))
    yard.supervisor.launch(stopped)
    yard.supervisor.end(stopped.run, { source: 'person', reason: 'stop', atOnce: false })
    expect(await yard.exited(stopped.run)).toMatchObject({ record: 'never', delivered: false })

    const termed = yard.order(sh('echo ran'))
    const launched = yard.supervisor.launch(termed)
    if (launched.ok) process.kill(launched.identity.pid, 'SIGTERM')
    expect(await yard.exited(termed.run)).toMatchObject({ record: 'never' })
    expect(yard.log(termed.run)).toBe('')
  })

  test('C175: a worker that reads its stdin to the end goes on at once', async () => {
    const yard = await openSupervised({ libc })
    const { run } = yard.run(['/bin/sh', fixture('reads-stdin.sh')])
    expect(await yard.exited(run)).toMatchObject({ wait: code(0) })
    expect(yard.log(run)).toBe('done\n')
  })

  test('C175: a worker gets stdin, stdout and stderr and no other descriptor, and no signal ignored or blocked', async () => {
    const yard = await openSupervised({ libc })
    const { run, runDir } = yard.run(sh('ls -l /proc/$$/fd; exec grep -E "SigIgn|SigBlk" /proc/self/status'))
    await yard.exited(run)
    const lines = yard.log(run).trimEnd().split('\n')
    const log = `${runDir}/output.log`
    const descriptors = lines.flatMap((line) => /(\d+ -> .*)$/.exec(line)?.[1] ?? [])
    // Node's spawn passes on what this very process was started with; ours are none of those.
    const inherited = libc === 'use' ? [] : readOwnDescriptors()
    expect(descriptors.filter((each) => !inherited.includes(each))).toEqual([
      '0 -> /dev/null',
      `1 -> ${log}`,
      `2 -> ${log}`,
    ])
    const [blocked, ignored] = lines.slice(-2).map((line) => BigInt(`0x${line.split('\t')[1]}`))
    expect(blocked).toBe(0n)
    expect((ignored ?? 0n) & ~cLibraryOwn).toBe(0n)
  })

  test('C113: stdout and stderr are in one log, in the order of writing, and the shell adds nothing of its own', async () => {
    const yard = await openSupervised({ libc })
    const { run } = yard.run(sh('echo one; echo two >&2; echo three; kill -KILL $$'))
    await yard.exited(run)
    expect(yard.log(run)).toBe('one\ntwo\nthree\n')
  })

  test('a worker cannot make itself look as if it had never started', async () => {
    const yard = await openSupervised({ libc })
    const order = yard.order(sh('printf "never\\n" > "$EXIT"; kill -KILL $PPID; sleep 60'))
    yard.supervisor.launch({ ...order, env: { ...order.env, EXIT: `${order.runDir}/exit` } })
    yard.supervisor.go(order.run)
    expect(await yard.exited(order.run)).toMatchObject({ wait: signal('SIGKILL'), record: null })
  })
})

function readOwnDescriptors(): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [`${fd} -> ${readlinkSync(`/proc/self/fd/${fd}`)}`]
    } catch {
      return [] // the descriptor of this very listing
    }
  })
}

/** Signals 32 and 33 are the C library's own for threads; its posix_spawn leaves them ignored, and no program can use them. */
const cLibraryOwn = 0b11n << 31n
