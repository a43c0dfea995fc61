import type { Interrupt } from '../command.ts'

/** Who works the batch. `private`: a hub in this process. `shared`: a hub that was there before and stays. */
export type Worked = 'private' | 'shared'

export interface InterruptFacts {
  readonly worked: Worked
  /** calm: nobody asked to stop. asked: the choices were shown. ending: attempts are being ended. */
  readonly state: 'calm' | 'asked' | 'ending'
  /** Somebody can read the choices and press a key. */
  readonly isInteractive: boolean
  readonly isCi: boolean
}

export type InterruptAct =
  /** Say what can be done, and go on. */
  | 'show_choices'
  /** End what runs by the ladder, then leave with 130. */
  | 'end'
  /** The same, every ladder at once at its last rung. */
  | 'end_at_once'
  /** Leave the batch to its hub. */
  | 'detach'
  /** The terminal is gone: go on without it. */
  | 'go_on_without_terminal'

/**
 * What one of our own signals means to a batch that is followed (files-and-cli sections 4 and 7.9). A person is asked
 * first, because Ctrl-C is also how one leaves; CI sends one signal and kills soon after, so its first one counts.
 */
export function planInterrupt(name: Interrupt, facts: InterruptFacts): InterruptAct {
  const { worked, state, isInteractive, isCi } = facts
  if (worked === 'shared') {
    return name === 'SIGINT' && state === 'calm' && isInteractive && !isCi ? 'show_choices' : 'detach'
  }
  if (name === 'SIGHUP') return 'go_on_without_terminal'
  if (state === 'ending') return 'end_at_once'
  if (name !== 'SIGINT') return state === 'asked' ? 'end_at_once' : 'end'
  return state === 'calm' && isInteractive && !isCi ? 'show_choices' : 'end'
}

/** What a person can do now. */
export function choicesLine({
  worked,
  running,
  id,
}: {
  readonly worked: Worked
  readonly running: number
  readonly id: number
}): string {
  const attempts = `${running} ${running === 1 ? 'attempt' : 'attempts'} running`
  return worked === 'private'
    ? `${attempts}. Ctrl-C again: ${running === 1 ? 'stop it (it goes' : 'stop them (they go'} back to waiting; with \`rerun: ask\` you are asked).`
    : `${attempts}, worked by the hub. d and Enter, or Ctrl-C again: leave them to it. Stop them: yardmaster cancel B${id}`
}
