import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../kernel/index.ts'

/** `<home>/backups/yard-20261129T130000Z.db`, with a number behind it where two are made in one second. */
export function composeBackup(home: string, nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const name = (n: number) => join(home, 'backups', `yard-${stamp}${n === 1 ? '' : `-${n}`}.db`)
  let n = 1
  while (existsSync(name(n))) n += 1
  return name(n)
}

/** Makes the folder of a home's backups, and takes away what a program that was killed in the middle of one has left there. */
export function makeBackupFolder(folder: string): void {
  makeFolder(folder, 0o700)
  for (const name of readdirSync(folder)) {
    const pid = /\.unfinished-(\d+)(-[0-9a-f]+)?$/.exec(name)?.[1]
    // One process works a home at a time, so that another's pid is that of one before us.
    if (pid !== undefined && Number(pid) !== process.pid) rmSync(join(folder, name), { force: true })
  }
}
