import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder, saySystemFault, YardError } from '../../kernel/index.ts'
import { cliError } from '../errors.ts'
import type { UnitKind } from './unit-text.ts'

export const unitName = 'yardmaster.service'

/** Only these make the words that we look for in a unit that we may replace. */
const ourMark = '`yardmaster service install'

/** sd_booted(3): the folder exists exactly where systemd is the system's manager. */
export const bootedMark = '/run/systemd/system'

/** Where the unit belongs. `configHome`: `$XDG_CONFIG_HOME`, else `~/.config`. */
export function unitPath(kind: UnitKind, configHome: string): string {
  return kind === 'system' ? join('/etc/systemd/system', unitName) : join(configHome, 'systemd', 'user', unitName)
}

/**
 * Puts the unit in place by rename. One that somebody else has written is not touched: throws `CLI_UNIT_NOT_OURS`; one that
 * cannot be written, `CLI_UNIT_NOT_WRITTEN`.
 */
export function installUnit(path: string, text: string): 'written' | 'replaced' | 'unchanged' {
  try {
    const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined
    if (before === text) return 'unchanged'
    if (before !== undefined && !before.includes(ourMark)) throw cliError('CLI_UNIT_NOT_OURS', { path })
    makeFolder(dirname(path), 0o755)
    writeFileSync(`${path}.new`, text, { mode: 0o644 })
    renameSync(`${path}.new`, path)
    return before === undefined ? 'written' : 'replaced'
  } catch (cause) {
    if (cause instanceof YardError) throw cause
    throw cliError('CLI_UNIT_NOT_WRITTEN', { path, why: saySystemFault(cause) }, cause)
  }
}
