import { type Clock, describeDuration } from '../../../kernel/index.ts'
import type { CommandGuard, GuardAnswer } from './desk-deps.ts'
import { findCommandsLike } from './shell/match-commands.ts'

export interface GuardDeps {
  readonly clock: Clock
  readonly deniedCommands?: readonly string[] | undefined
  readonly approvalCommands?: readonly string[] | undefined
  readonly guards?: readonly CommandGuard[] | undefined
}

const guardDeadlineMs = 5_000

/** Asks all guards of a command, one after the other. The first no holds; a guard that breaks or is silent is a no. */
export async function guardCommand(deps: GuardDeps, command: string, signal: AbortSignal): Promise<GuardAnswer> {
  for (const guard of [guardByLists(deps), ...(deps.guards ?? [])]) {
    const answer = await askGuard(deps.clock, guard, command, signal)
    if (answer.kind !== 'allowed') return answer
  }
  return { kind: 'allowed' }
}

async function askGuard(clock: Clock, guard: CommandGuard, command: string, signal: AbortSignal): Promise<GuardAnswer> {
  const over = new AbortController()
  const late: GuardAnswer = {
    kind: 'denied',
    says: `a check of commands did not answer within ${describeDuration(guardDeadlineMs)}`,
  }
  const waited = clock.sleep(guardDeadlineMs, AbortSignal.any([over.signal, signal])).then(
    () => late,
    () => ({ kind: 'denied', says: 'the worker was told to stop' }) as const, // or the guard has answered
  )
  try {
    return await Promise.race([guard(command, AbortSignal.any([over.signal, signal])), waited])
  } catch (fault) {
    return {
      kind: 'denied',
      says: `a check of commands did not work: ${fault instanceof Error ? fault.message : fault}`,
    }
  } finally {
    over.abort()
  }
}

/** Forbidden commands beat those that only need an approval. */
const guardByLists =
  ({ deniedCommands = [], approvalCommands = [] }: GuardDeps): CommandGuard =>
  async (command) => {
    const denied = findCommandsLike(command, deniedCommands)
    if (denied !== undefined) return { kind: 'denied', says: `the operator does not allow ${denied} here` }
    const asked = findCommandsLike(command, approvalCommands)
    return asked === undefined
      ? { kind: 'allowed' }
      : { kind: 'needs_approval', says: `${asked} needs the approval of a person` }
  }
