import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { strangerScript } from '../stranger-script.ts'
import type { Reused } from './reuse-pids.ts'

/** What strangers heard who got the number of a process that was on record. */
export interface ReuseFigures {
  readonly reuses: number
  /** Strangers that heard anything while the product's own parts worked on the old records. */
  readonly signalled: number
  /** The same strangers, when a signaller that knows only numbers was let loose on the same records. */
  readonly control: number
  /** What the product answered, by kind. */
  readonly answers: Readonly<Record<string, number>>
}

/** The first argument of a program that plays one part inside of a namespace. */
export const insideWord = 'inside-pid-reuses'

/** In the second namespace, so after a "reboot", so many of the records of the first are met again. */
const shareAfterReboot = 0.2

/**
 * Forces numbers to come back in a pid namespace of its own, and then, with the records of that one, in another: the
 * same numbers, with another PID 1. `self` is this program.
 */
export async function playReuses(
  { self, stop }: { readonly self: readonly string[]; readonly stop: AbortSignal },
  { reuses, seed }: { readonly reuses: number; readonly seed: number },
): Promise<ReuseFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'yardmaster-reuse-'))
  try {
    writeFileSync(join(folder, 'stranger.sh'), strangerScript)
    const later = Math.floor(reuses * shareAfterReboot)
    const first = await playInside({ self, stop }, { folder, reuses: reuses - later, keep: later, seed, stored: '[]' })
    const stored = JSON.stringify(first.stored)
    const second = await playInside({ self, stop }, { folder, reuses: later, keep: 0, seed: seed + 1, stored })
    const answers: Record<string, number> = { ...first.answers }
    for (const [answer, times] of Object.entries(second.answers)) answers[answer] = (answers[answer] ?? 0) + times
    return {
      reuses: first.reuses + second.reuses,
      signalled: first.signalled + second.signalled,
      control: first.control + second.control,
      answers,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Part {
  readonly folder: string
  readonly reuses: number
  /** How many records to hand out at the end. */
  readonly keep: number
  readonly seed: number
  /** Records to meet again instead of making new ones. */
  readonly stored: string
}

async function playInside(
  { self, stop }: { readonly self: readonly string[]; readonly stop: AbortSignal },
  { folder, reuses, keep, seed, stored }: Part,
): Promise<Reused> {
  const part = join(folder, 'part.json')
  writeFileSync(part, JSON.stringify({ folder, reuses, keep, seed, stored: JSON.parse(stored) }))
  const namespace = ['--pid', '--fork', '--mount-proc', '--kill-child=KILL']
  // Below a shell: records of a process that was PID 1 itself are gone with it, others cannot be told after a reboot.
  const below = ['sh', '-c', '"$@"; exit $?', 'sh']
  const child = spawn('unshare', [...namespace, ...below, ...self, insideWord, part], {
    stdio: ['ignore', 'pipe', 'inherit'],
    signal: stop,
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`the namespace of reused pids ended with ${code}`)
  return JSON.parse(said) as Reused
}
