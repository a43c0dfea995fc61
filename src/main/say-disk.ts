import { readDiskSpace } from '../dispatcher/index.ts'
import type { YardConfig } from '../kernel/config/index.ts'
import { describeSize } from '../kernel/index.ts'
import type { Home } from './home.ts'

/** What a person should know where `disk_free` asks for more than the disk can ever have; undefined where it does not. */
export function sayDisk({ path }: Pick<Home, 'path'>, { diskFreeBytes }: Pick<YardConfig, 'diskFreeBytes'>) {
  const space = diskFreeBytes === null ? undefined : readDiskSpace(path)
  if (diskFreeBytes === null || space === undefined || diskFreeBytes <= space.totalBytes) return undefined
  const asked = `disk_free asks for ${describeSize(diskFreeBytes)} and the disk of the home has ${describeSize(space.totalBytes)} in all`
  return `${asked}, so nothing starts; lower it in yardmaster.yaml`
}
