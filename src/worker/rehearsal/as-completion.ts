import type { Turn } from './scenario-schema.ts'

/**
 * The last turn of a play as a well-behaved model sends it: who is offered the tool `complete` ends with a call of it, its text as
 * the result. What says more than a text, or is `silent`, is sent as it is written.
 */
export function asCompletion(turn: Turn, tools: readonly string[]): Turn {
  const { say = '', call, refuse, finish, silent, ...rest } = turn
  const isPlain = call === undefined && refuse === undefined && finish === undefined && silent !== true
  if (!isPlain || say.trim() === '' || !tools.includes('complete')) return turn
  return { ...rest, call: [{ tool: 'complete', with: { result: say } }] }
}
