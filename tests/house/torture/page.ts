import { readConditions } from '../../../bench/conditions.ts'
import { formatTable, type Summary } from './print.ts'

/** docs/reliability.md: what was done to the yard, how it was judged, the figures as printed, and what was not tried. */
export function formatPage(summary: Summary): string {
  const { options } = summary
  const length = options.tasks === null ? `--seconds ${options.seconds}` : `--tasks ${options.tasks}`
  const conditions = Object.entries(readConditions()).map(([name, value]) => `${name} ${value}`)
  return `${[
    '# Reliability: what survived',
    `Written by \`npm run torture -- ${length} --seed ${options.seed} --slots ${options.slots} --pid-reuses ${options.pidReuses} --write\`, ` +
      'figures as printed. Anybody can run it; the same seed plans the same tasks and faults, and what the machine makes of ' +
      'them differs. A finding names the seed and the round that play it again (`--seed S --round N`, with the same ' +
      '`--slots` and `--tasks-per-round`).',
    formatTable(summary),
    `Conditions: ${conditions.join(' · ')}`,
    howItIsPlayed,
    howItIsJudged,
    notTried,
  ].join('\n\n')}\n`
}

const howItIsPlayed = `## How a round is played

The built product with crash points (\`dist-test/\`) works through a batch of small tasks in a home of its own while faults
come one after another, some tenths of a second apart. Nothing of the product is replaced; only its wall clock can be
stepped by a file, in this build alone.

- **Hubs** are killed with signal 9 at random moments, at named crash points (between any two commits), told to stop and
  killed a moment later, stopped and let go on, restarted in a row, started twice at once from one or from two pid
  namespaces.
- **Attempts** lose their shim (with the hub as its parent, and without any), their worker, a descendant; workers are
  stopped and let go on.
- **The machine** has a full disk for a while, system calls that answer EIO, no more file descriptors, a wall clock 8 h
  or 90 s off, numbers of processes that come back (a stranger sits on the number of a shim or worker on record), an init
  that collects no orphans, and "reboots": another pid namespace, with the same boot id or another.
- **Workers** misbehave: they ignore TERM, end with 0 after it, fork twice into a session of their own, drop their
  environment, leave children that ignore TERM, close their output, truncate their log, fill it, fork, leave zombies, die
  by SIGSEGV, meet a limit of an account, or exit 75 for ever.
- A person looks after what needs one: it is tried again, or called off where it says "later" for ever.
- **Reused pids by force**: in a namespace of their own, strangers get the very numbers of processes on record, as
  often as asked for; then signals, adoption, stop and sweep are asked to work on those records. The control is a signaller that
  knows only the number, let loose on the same strangers.`

const howItIsJudged = `## How it is judged

From outside, not by the product's own books. Every worker appends a line at its begin and before its end (attempt, pid,
start time, time since boot, the code it is about to leave), and at its begin looks whether any process of an earlier
attempt of its task is still alive. Strangers write down every signal they get. A scanner of its own reads /proc.
The books (API) are then held against that:

| word | what must be 0 |
| --- | --- |
| lost | tasks that are not in the books, not at an end, or done without having been done |
| doubled | an attempt that began while a process of another lived; one begun twice, or after the task was done; an end told twice |
| wrong code | an outcome, code or signal that is not the one the worker left, and that nothing done to it explains |
| unknown unexplained | an end that is said to be not knowable, although a hub was the shim's parent and lived to record it |
| out of order | a task that began before all it needs were over |
| second term | a worker that heard TERM twice |
| stranger signalled, kept signalled | a signal to a process that is nobody's of ours, or that a task keeps |
| leaked process, port, file | what is left when the last hub has gone |
| defunct | children that the last hub of a round had not collected |
| two hubs | two that served one home at once |
| strange | a round that could not be played to its end |`

const notTried = `## What was not tried

- Power loss, and real disks that lie about it: SQLite's \`synchronous=FULL\` is trusted.
- A real reboot. Its marks are tried: another boot id, another PID 1, all processes gone.
- Two processes of one number within one clock tick (10 ms): the kernel itself shows both with the same start time.
- A process that leaves its group, drops our variables and is re-parented at once: without a cgroup nobody can find it.
  Some tasks do so on purpose; what they leave is ended by the suite and not counted.
- Two machines on one home over a network file system, which is refused.`
