import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'

const setMostFiles = (limit: string) => execFileSync('prlimit', [`--pid=${process.pid}`, `--nofile=${limit}:`])

/** Leaves this process no file descriptor to open anything with, until it is disposed of. */
export function takeDescriptors(): Disposable {
  const before = /Max open files +(\S+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 'unlimited'
  const taken = Array.from({ length: 32 }, () => openSync('/dev/null', 'r'))
  const giveBack = () => {
    for (const descriptor of taken) closeSync(descriptor)
    setMostFiles(before)
  }
  try {
    setMostFiles(String(Math.max(...taken) + 1))
    for (let full = false; !full; ) {
      try {
        taken.push(openSync('/dev/null', 'r'))
      } catch {
        full = true // now every number below the limit is in use
      }
    }
  } catch (fault) {
    giveBack()
    throw fault
  }
  return { [Symbol.dispose]: giveBack }
}
