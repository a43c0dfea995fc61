import { accessSync, constants, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { readToken } from '../../api/client/index.ts'
import type { HealthView } from '../../api/contract/index.ts'
import { refuseNetwork } from '../../board/index.ts'
import { neededDiskBytes, readDiskSpace } from '../../dispatcher/index.ts'
import type { YardConfig } from '../../kernel/config/index.ts'
import { describeSize, shellWord, YardError } from '../../kernel/index.ts'
import { findMachine } from '../../kernel/process/index.ts'
import type { Home } from '../home.ts'
import { bad, type Check, ok, warn } from './check.ts'

/** The folder with everything in it: whose it is, who may look into it, and what it lies on. */
export function checkHome(home: Home): readonly Check[] {
  const found = lookAt(home.path)
  if (found === undefined) return [checkPlace(home.path)]
  if (!found.isDirectory()) return [bad('home', `${home.path} is no folder`, 'name another one in YARDMASTER_HOME')]
  const fileSystem = refuseNetwork(home.path)
  const where = fileSystem.kind === 'local' ? '' : `, on ${fileSystem.name}`
  const own = process.geteuid?.()
  if (own !== undefined && found.uid !== own && own !== 0) {
    const fix = `chown -R ${own} ${shellWord(home.path)}, or name another home in YARDMASTER_HOME`
    return [bad('home', `${home.path} belongs to another user (${found.uid})`, fix)]
  }
  if (!isWritable(home.path)) {
    return [bad('home', `${home.path} cannot be written to`, 'make it writable for this user, or mount it read-write')]
  }
  const mode = found.mode & 0o777
  const says = `${home.path}, mode ${mode.toString(8).padStart(4, '0')}${where}`
  if ((mode & 0o077) !== 0) {
    const fix = `the next start closes it; now: chmod 700 ${shellWord(home.path)}`
    return [warn('home', `${says}: others may look into it`, fix), ...checkToken(home)]
  }
  if (fileSystem.kind === 'unsure') {
    const fix = 'keep the home on a disk of this system; shared folders may lose locks'
    return [warn('home', says, fix), ...checkToken(home)]
  }
  return [ok('home', says), ...checkToken(home)]
}

function lookAt(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined // not made yet, or below something that is no folder
  }
}

/** Where a home would be made: the nearest folder above it that is there has to take it. */
function checkPlace(path: string): Check {
  let above = dirname(path)
  while (lookAt(above) === undefined && above !== dirname(above)) above = dirname(above)
  const says = `${path} is made by the first task or hub`
  if (lookAt(above)?.isDirectory() === true && isWritable(above)) return ok('home', says)
  const why = lookAt(above)?.isDirectory() === true ? 'cannot be written to' : 'is no folder'
  return bad('home', `${path} cannot be made: ${above} ${why}`, 'name another one in YARDMASTER_HOME')
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

function checkToken({ token }: Home): readonly Check[] {
  const mode = lookAt(token)?.mode ?? 0
  if ((mode & 0o077) !== 0) {
    const fix = `somebody may have read it: stop the hub, remove ${token}, and start the hub again`
    return [bad('token', `${token} can be read by others (mode ${(mode & 0o777).toString(8)})`, fix)]
  }
  try {
    readToken(token)
    return []
  } catch (fault) {
    if (!(fault instanceof YardError)) throw fault
    return [bad('token', fault.message, fault.fix)]
  }
}

/** What tells a home that was copied to another machine. */
export function checkMachine(home: Home): readonly Check[] {
  const machine = findMachine({ keptIn: home.machine })
  if (machine?.from === 'system') return [ok('machine', `${machine.host}, known by its machine id`)]
  const fix =
    'systemd-machine-id-setup, or: dbus-uuidgen > /etc/machine-id (before the first start, or while nothing runs)'
  const weak = 'a disk that is cloned as a whole is not noticed'
  return [warn('machine', `this system has no machine id; a file in the home stands for it, and ${weak}`, fix)]
}

/** Below the limit nothing new starts. A hub that is up has read its own, maybe from another yardmaster.yaml than is found from here. */
export function checkDisk(
  home: Home,
  { diskFreeBytes }: Pick<YardConfig, 'diskFreeBytes'>,
  health: HealthView | undefined,
): readonly Check[] {
  const space = readDiskSpace(home.path)
  if (space === undefined) return [warn('disk', `the space left for ${home.path} cannot be asked`, 'look with df')]
  const needed = health?.disk?.needed_bytes ?? neededDiskBytes(diskFreeBytes, space)
  const says = `${describeSize(space.freeBytes)} free of ${describeSize(space.totalBytes)}; nothing starts below ${describeSize(needed)}`
  if (space.freeBytes < needed)
    return [bad('disk', says, 'make room on that disk, or lower disk_free in yardmaster.yaml')]
  if (space.freeBytes < 2 * needed) return [warn('disk', says, 'make room before it is needed')]
  return [ok('disk', says)]
}
