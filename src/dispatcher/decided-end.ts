import type { Exited } from '../board/index.ts'
import type { RunReport } from '../runs/index.ts'
import type { RecordedEnd } from './plan-next.ts'

/** How an attempt ended, for the record and for the step after it; of work that a check may still lower, how it would. */
export interface JudgedWork {
  readonly exited: Exited
  readonly end: RecordedEnd
  readonly report: RunReport | null
}

/** As stored in `run.judged` while the attempt goes on. Its report is read again from its file. */
export const formatJudged = ({ exited, end }: JudgedWork): string => JSON.stringify({ exited, end })

/** Reads back what `formatJudged` wrote; the store holds nothing else there. */
export const parseJudged = (text: string): Pick<JudgedWork, 'exited' | 'end'> =>
  JSON.parse(text) as Pick<JudgedWork, 'exited' | 'end'>
