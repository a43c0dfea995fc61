import { cpus, loadavg, release, totalmem } from 'node:os'

/** Where the figures were taken; printed with them, because a figure without it says nothing. */
export function readConditions(): Readonly<Record<string, string>> {
  const [load = 0] = loadavg()
  return {
    node: process.version,
    kernel: release(),
    cores: `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    'load at the start': load.toFixed(2),
    date: new Date().toISOString().slice(0, 10),
  }
}
