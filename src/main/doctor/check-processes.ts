import type { HealthView } from '../../api/contract/index.ts'
import { type Authority, describeAuthority } from '../../dispatcher/supervisor/index.ts'
import { assertNever } from '../../kernel/index.ts'
import type { Home } from '../home.ts'
import { bad, type Check, ok, warn } from './check.ts'

/** What the workers of this yard can reach (promise P7): said, not hidden. */
export function checkWorkers(home: Home, isMade: boolean): readonly Check[] {
  const reach = isMade ? `${home.path} and everything else that you can` : 'everything that you can'
  if (process.geteuid?.() !== 0) return [ok('workers', `run as you: they can read ${reach}; ${butSandbox}`)]
  const fix = 'run the hub as a user of its own: yardmaster service install --system --as USER'
  return [warn('workers', `run as root: they can read and change everything on this machine; ${butSandbox}`, fix)]
}

const butSandbox = 'only commands of a chat lane with sandbox: bwrap cannot'

/** With what the processes of attempts are watched and ended here: by the hub where one is up, else by one started from here. */
export async function checkProcesses(health: Pick<HealthView, 'pid'> | undefined): Promise<readonly Check[]> {
  return sayAuthority(await describeAuthority({ hubPid: health?.pid ?? process.pid }))
}

/** Pure: one finding for each of them. */
export function sayAuthority({ signals, cgroups, deathSignal, processes, orphans }: Authority): readonly Check[] {
  return [
    saySignals(signals),
    sayGroups(cgroups),
    deathSignal === 'works'
      ? ok('orphans', 'run --orphans die works: the kernel ends workers with their starter')
      : warn('orphans', 'run --orphans die is refused here: setpriv is missing', 'install util-linux'),
    sayProcesses(processes),
    ...(orphans === 'nobody'
      ? [
          warn(
            'init',
            'the hub is PID 1 and cannot take leave of what its workers leave behind',
            'start the container with an init: docker run --init, or as in docs/running.md',
          ),
        ]
      : [
          ok(
            'init',
            orphans === 'hub' ? 'the hub is PID 1 and takes leave of orphans itself' : 'PID 1 takes leave of orphans',
          ),
        ]),
  ]
}

function saySignals(signals: Authority['signals']): Check {
  switch (signals) {
    case 'pidfd_groups':
      return ok('signals', 'reach the very process that is meant, and whole groups (pidfd)')
    case 'pidfd':
      return ok('signals', 'reach the very process that is meant (pidfd; whole groups from Linux 6.9)')
    case 'by_number': {
      const says =
        'go to a number that is compared right before and after: koffi is missing or the system forbids pidfd'
      return warn(
        'signals',
        says,
        'npm install -g yardmaster without --omit=optional; in a container look at its seccomp profile',
      )
    }
    default:
      return assertNever(signals)
  }
}

function sayGroups(cgroups: Authority['cgroups']): Check {
  if (cgroups.ok) {
    const { controllers } = cgroups.base
    const limits = controllers.length === 0 ? 'no limits' : `limits of ${controllers.join(' and ')}`
    return ok('groups', `each attempt has a control group of its own (cgroup v2), with ${limits}`)
  }
  const says = `no control group for attempts: ${cgroups.why}. What leaves its group, its environment and its parents cannot be found`
  return warn(
    'groups',
    says,
    'start the hub by systemd (yardmaster service install), which delegates one; all else works without',
  )
}

function sayProcesses(processes: Authority['processes']): Check {
  switch (processes) {
    case 'seen':
      return ok('processes', 'all can be seen in /proc')
    case 'hidden':
      return ok('processes', 'those of this user can be seen in /proc (hidepid), which is enough')
    case 'unreadable':
      return bad('processes', '/proc cannot be read, so no attempt can be watched', 'mount /proc')
    default:
      return assertNever(processes)
  }
}
