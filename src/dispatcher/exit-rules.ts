import { constants } from 'node:os'
import type { ExitRule } from '../board/index.ts'
import type { WaitStatus } from './supervisor/index.ts'

/** The rule of a task or lane that this end meets; first match wins, undefined leaves it to the built-in table. */
export function matchExitRule(
  rules: readonly ExitRule[],
  end: { readonly status: WaitStatus; readonly tail: string | null },
): ExitRule | undefined {
  const code = shellCode(end.status)
  return rules.find((rule) =>
    rule.output === undefined ? rule.code?.includes(code) === true : (end.tail ?? '').includes(rule.output),
  )
}

/** The number a shell shows for an end: 128 and the signal's number for a death by signal, so that rules can name it. */
export function shellCode(status: WaitStatus): number {
  if (status.kind === 'code') return status.code
  return 128 + (constants.signals[status.signal as NodeJS.Signals] ?? 0)
}

/**
 * Codes of sysexits.h after which a repeat is pointless, with what they say. Only in lanes that promise to mean them
 * (`sysexits: true`); 75 (EX_TEMPFAIL) is read in every lane. Design section 4.
 */
export const sysexitsForAPerson: Readonly<Record<number, string>> = {
  64: 'bad usage',
  65: 'bad input data',
  66: 'input that is missing',
  77: 'no permission',
  78: 'bad configuration',
}

/** EX_TEMPFAIL of sysexits.h: try later. */
export const tempfailCode = 75
