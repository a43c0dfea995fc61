import { closeSync, fstatSync, openSync, readdirSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as soon } from 'node:timers/promises'
import { type Clock, createLogMask, type LogMask } from '../../../../kernel/index.ts'

const pieceBytes = 2 ** 20

/**
 * Masks in outputs that outlive their worker whatever looks like a secret. Until then a model could look into them, and what
 * only looks like one had to stay. What is not done within `withinMs` is removed, so that nothing unmasked is kept.
 */
export async function maskSpilled(
  { clock, knownSecrets }: { readonly clock: Clock; readonly knownSecrets: readonly string[] },
  { folder, withinMs }: { readonly folder: string; readonly withinMs: number },
): Promise<void> {
  const untilMs = clock.monotonicMs() + withinMs
  const mask = createLogMask(knownSecrets)
  for (const name of namesIn(folder)) {
    const path = join(folder, name)
    const isDone = await maskFile(mask, { path, isLate: () => clock.monotonicMs() >= untilMs }).catch(() => false) // no room, say
    if (!isDone) rmSync(path, { force: true })
    rmSync(`${path}.masked`, { force: true })
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => /^command-\d+\.txt$/.test(name))
  } catch {
    return [] // nothing was spilled
  }
}

/** False when time was over before. Each piece is masked with what stands around it: a secret may lie across its edge. */
async function maskFile(
  mask: LogMask,
  { path, isLate }: { readonly path: string; readonly isLate: () => boolean },
): Promise<boolean> {
  const from = openSync(path, 'r')
  const to = openSync(`${path}.masked`, 'wx', 0o600)
  try {
    const size = fstatSync(from).size
    for (let at = 0; at < size; at += pieceBytes) {
      if (isLate()) return false
      const first = Math.max(0, at - mask.contextBytes)
      const last = Math.min(size, at + pieceBytes + mask.contextBytes)
      const around = Buffer.alloc(last - first)
      readSync(from, around, 0, around.byteLength, first)
      const masked = mask(around).subarray(at - first, Math.min(size, at + pieceBytes) - first)
      for (let done = 0; done < masked.byteLength; ) done += writeSync(to, masked, done)
      await soon() // a second signal is heard meanwhile
    }
  } finally {
    closeSync(from)
    closeSync(to)
  }
  renameSync(`${path}.masked`, path)
  return true
}
