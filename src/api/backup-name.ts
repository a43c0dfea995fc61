import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** `<home>/backups/yard-20261129T130000Z.db`, with a number behind it where two are made in one second. */
export function composeBackup(home: string, nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const name = (n: number) => join(home, 'backups', `yard-${stamp}${n === 1 ? '' : `-${n}`}.db`)
  let n = 1
  while (existsSync(name(n))) n += 1
  return name(n)
}
