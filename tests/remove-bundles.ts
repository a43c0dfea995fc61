import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Where the fixtures of one run of the tests lie as programs; `pid`: of the process that leads it. */
export const bundleFolder = (pid: number): string =>
  fileURLToPath(new URL(`../node_modules/.cache/yardmaster-tests-${pid}`, import.meta.url))

/** Called once at the end of a run, by the process that leads it. */
export const teardown = (): void => rmSync(bundleFolder(process.pid), { recursive: true, force: true })
