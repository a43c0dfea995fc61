import type { Path } from '../../kernel/config/index.ts'

/** What is wrong and how to mend it, where it is not the batch file that is at fault with that file and line. */
export interface FaultWords {
  readonly says: string
  readonly fix: string
  /** A data or prompt file, as people should read its path. */
  readonly file?: string
  readonly line?: number
}

/** Notes a fault of one task; `path` goes on from the task. */
export type AddFault = (path: Path, words: FaultWords) => void
