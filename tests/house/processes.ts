import { readdirSync, readFileSync } from 'node:fs'

/** Live processes whose environment holds `text`, this one excepted: what a test must not leave behind. */
export function processesWith(text: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => environmentOf(pid).includes(text))
    .map(Number)
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    return '' // it has ended meanwhile, or is not ours to read
  }
}
