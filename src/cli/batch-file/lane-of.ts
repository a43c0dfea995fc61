/** A lane of the yard, as far as a batch needs to know it. */
export interface LaneOption {
  readonly name: string
  readonly uses: string
  readonly ready: boolean
  /** `ready`, or what is missing. */
  readonly says: string
}

export interface LaneChoice {
  readonly kind: 'prompt' | 'run'
  readonly task: string | undefined
  readonly defaults: string | undefined
  readonly board: string | undefined
}

/**
 * The lane that a row will get: its own, the batch's, the board's, else `chat` for prompts and `command` for commands
 * (files-and-cli section 2). Commands pass over lanes for agents that they inherit. The API decides it again and for
 * good; this is for warnings and refusals before anything is created.
 */
export function laneOf(lanes: readonly LaneOption[], { kind, task, defaults, board }: LaneChoice): string {
  if (task !== undefined) return task
  const fits = (name: string) => kind === 'prompt' || lanes.find((lane) => lane.name === name)?.uses === 'command'
  const inherited = [defaults, board].filter((name) => name !== undefined)
  return inherited.find(fits) ?? (kind === 'prompt' ? 'chat' : 'command')
}
