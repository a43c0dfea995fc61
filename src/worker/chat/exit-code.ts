import { assertNever } from '../../kernel/index.ts'
import type { ChatEnd } from './chat-end.ts'

/** What the shell sees of a worker, decided here and nowhere else (design section 5). */
export type ChatExitCode = 0 | 1 | 75 | 130

/**
 * 0 must be earned: completed, the report written where one was asked for, and the board told where there is one. 75 is
 * for workers of a board only: a person's shell has nobody who would try again.
 */
export function exitCodeOf(
  end: Pick<ChatEnd, 'kind' | 'delivery'>,
  report: 'not_asked' | 'written' | 'not_written',
): ChatExitCode {
  if (end.delivery === 'board_unreachable') return report === 'written' ? 75 : 1
  switch (end.kind) {
    case 'completed':
      return report === 'not_written' ? 1 : 0
    case 'wall':
      return report === 'not_asked' ? 1 : 75
    case 'interrupted':
      return 130
    case 'partial':
    case 'failed':
      return 1
    default:
      return assertNever(end.kind)
  }
}
