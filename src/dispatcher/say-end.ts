import type { StopKind, StopReason, TerminalCall } from '../board/index.ts'
import { assertNever, briefly, formatTaskId } from '../kernel/index.ts'
import type { WaitStatus } from './supervisor/index.ts'

// The facts of an end in words for people.

/** Shells use 126 and 127 for a command that could not be run, so those two are said in words. */
export function sayWaitStatus(status: WaitStatus): string {
  if (status.kind === 'signal') return status.signal
  if (status.code === 126) return 'exit code 126 (found, but not executable)'
  if (status.code === 127) return 'exit code 127 (command not found)'
  return `exit code ${status.code}`
}

/** The code that a shell would give for death by SIGINT. */
const interruptedCode = 130

/**
 * How an end is told. The ladder sends TERM and KILL and never INT: 130 after a stop of ours is the code of a worker that heard it
 * and left, as our agent does. "SIGINT" would let people look for somebody who sent one.
 */
export function toldStatus(
  { stop, delivered }: { readonly stop: Pick<StopReason, 'kind'> | null; readonly delivered: boolean },
  status: WaitStatus | null,
): WaitStatus | null {
  const isCode = stop !== null && delivered && status?.kind === 'signal' && status.signal === 'SIGINT'
  return isCode ? { kind: 'code', code: interruptedCode } : status
}

const stopSays: Readonly<Record<StopKind, (stop: Pick<StopReason, 'by' | 'text'>) => string>> = {
  cancel: ({ by, text }) => said(`cancelled by ${by}`, text),
  stop: ({ by, text }) => said(`stopped by ${by}`, text),
  timeout: ({ text }) => said('timed out', text),
  stall: ({ text }) => said('stalled', text),
  memory: ({ text }) => said('used more memory than it may', text),
  budget: ({ text }) => said('its budget is spent', text),
  drain: ({ text }) => said('cut by us: the yard is drained', text),
  replace: ({ text }) => said('cut by us: replaced', text),
  shutdown: ({ text }) => said('cut by us: the yard was shut down', text),
  batch_time: ({ text }) => said("cut by us: the batch's time is over", text),
  linger: ({ text }) => said('ended by us', text),
}

/** Why we ended it ourselves: `cancelled by ana: wrong branch`. */
export function sayStop(stop: Pick<StopReason, 'kind' | 'by' | 'text'>): string {
  return stopSays[stop.kind](stop)
}

function said(what: string, text: string): string {
  return text === '' ? what : `${what}: ${text}`
}

/** What it said of its own end: `it asks: Redis or in memory?`. In brief: the whole stands in the call. */
export function sayCall({ kind, text, onTask }: Pick<TerminalCall, 'kind' | 'text' | 'onTask'>): string {
  switch (kind) {
    case 'complete':
      return 'it said that it is done'
    case 'block':
      return said('it asks', briefly(text))
    case 'review':
      return said('it asks for a review', briefly(text))
    case 'wait':
      return said(`it waits for ${onTask === null ? 'another task' : formatTaskId(onTask)}`, briefly(text))
    default:
      return assertNever(kind)
  }
}
