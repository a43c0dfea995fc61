import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { realPath, removeTree } from '../kernel/index.ts'
import { inTurn } from './in-turn.ts'
import { isFolder } from './read-text.ts'

export interface TrashInput {
  /** The yard's own folder, absolute. */
  readonly home: string
  /** Ends it early, without a word; what is left goes the next time. */
  readonly signal: AbortSignal
  /** Hears of what cannot be removed, which stays. */
  readonly notRemoved: (path: string, fault: unknown) => void
}

/** Removes for good what lies in the trash of the home, one file after the other. Those that ask together follow each other. */
export async function emptyTrash({ home, signal, notRemoved }: TrashInput): Promise<void> {
  const trash = join(realPath(home), 'trash')
  await inTurn(trash, async () => {
    for (const name of isFolder(trash) ? readdirSync(trash) : []) {
      if (signal.aborted) return
      const path = join(trash, name)
      try {
        if (lstatSync(path).isDirectory()) await removeTree(path, signal)
        else rmSync(path)
      } catch (fault) {
        notRemoved(path, fault)
      }
    }
  })
}
