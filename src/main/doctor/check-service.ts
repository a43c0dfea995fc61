import { existsSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { HealthView } from '../../api/contract/index.ts'
import { type Check, ok, warn } from './check.ts'

interface Units {
  /** `$XDG_CONFIG_HOME`, else `~/.config`. */
  readonly configHome: string
}

const name = 'yardmaster.service'

/** The units of `service install`, where there are any. */
export async function checkService({ configHome }: Units, health: HealthView | undefined): Promise<readonly Check[]> {
  const units = [
    { path: join(configHome, 'systemd', 'user', name), systemctl: ['systemctl', '--user'] },
    { path: join('/etc/systemd/system', name), systemctl: ['systemctl'] },
  ].filter(({ path }) => existsSync(path))
  const checks = await Promise.all(units.map((unit) => checkUnit(unit)))
  return [
    ...checks.flat(),
    ...(units.length > 0 && health?.hub?.started_by === 'person' ? [startedByHand(health)] : []),
  ]
}

function startedByHand({ pid }: HealthView): Check {
  const fix = 'let the service have it: yardmaster down, then start the service; attempts go on with kill -TERM instead'
  return warn(
    'service',
    `the hub (pid ${pid}) was started by hand beside a unit, which will not start while it is up`,
    fix,
  )
}

interface Unit {
  readonly path: string
  readonly systemctl: readonly string[]
}

async function checkUnit({ path, systemctl }: Unit): Promise<readonly Check[]> {
  const text = readFileSync(path, 'utf8')
  const [program = '', ...args] = systemctl
  const again = `yardmaster service install${args.length === 0 ? ' --system' : ''}`
  const restart = `${systemctl.join(' ')} daemon-reload && ${systemctl.join(' ')} restart yardmaster`
  if (!/^KillMode=process$/m.test(text)) {
    const says = `${path} has no KillMode=process: each restart of the hub would end all attempts`
    return [warn('service', says, `${again}, then ${restart}`)]
  }
  const started = startedWords(/^ExecStart=(.*)$/m.exec(text)?.[1] ?? '')
  const gone = started.slice(0, 2).find((file) => file.startsWith('/') && !existsSync(file))
  if (gone !== undefined) return [warn('service', `${path} starts ${gone}, which is gone`, `${again}, then ${restart}`)]
  const { execa } = await import('execa')
  const asked = ['show', name, '--property=ActiveState,SubState,NRestarts,UnitFileState,NeedDaemonReload']
  const answer = await execa(program, [...args, ...asked], { reject: false, stdin: 'ignore', timeout: 5_000 })
  if (answer.failed) {
    const fix = 'log in on that machine as that user, or look with systemctl yourself'
    return [warn('service', `${path} is there, but systemd does not answer`, fix)]
  }
  const facts = Object.fromEntries(answer.stdout.split('\n').map((line) => line.split('=', 2) as [string, string]))
  return [judgeUnit(path, systemctl.join(' '), facts), ...checkLinger(args)]
}

/** The words of a command line of a unit, as `service install` writes them (systemd.service(5), "command lines"). */
function startedWords(line: string): readonly string[] {
  const words = line.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? []
  return words.map((word) =>
    word
      .replace(/^"(.*)"$/, '$1')
      .replace(/\\(.)/g, '$1')
      .replace(/%%|\$\$/g, (pair) => pair.slice(1)),
  )
}

/** Pure: what `systemctl show` said. */
export function judgeUnit(path: string, systemctl: string, facts: Readonly<Record<string, string | undefined>>): Check {
  const { ActiveState = 'unknown', SubState = 'unknown', NRestarts = '0', UnitFileState = '', NeedDaemonReload } = facts
  const restarts = NRestarts === '0' ? '' : `, started again ${NRestarts} times`
  const says = `${path}: ${ActiveState} (${SubState})${restarts}${UnitFileState === '' ? '' : `, ${UnitFileState}`}`
  if (NeedDaemonReload === 'yes') {
    return warn('service', `${says}; the file was changed since it was read`, `${systemctl} daemon-reload`)
  }
  if (ActiveState === 'failed') {
    const fix = `journalctl ${systemctl.endsWith('--user') ? '--user ' : ''}-u yardmaster -n 50; then ${systemctl} restart yardmaster`
    return { name: 'service', state: 'bad', says, fix }
  }
  if (UnitFileState === 'disabled')
    return warn('service', `${says}: it does not start by itself`, `${systemctl} enable --now yardmaster`)
  return ActiveState === 'active' ? ok('service', says) : warn('service', says, `${systemctl} start yardmaster`)
}

/** systemd ends all of a user's units with the last login, unless told otherwise (loginctl(1), enable-linger). */
function checkLinger(args: readonly string[]): readonly Check[] {
  if (args.length === 0) return []
  const { username } = userInfo()
  if (existsSync(`/var/lib/systemd/linger/${username}`)) return []
  return [warn('service', `it ends, and all attempts with it, when ${username} logs out`, 'loginctl enable-linger')]
}
