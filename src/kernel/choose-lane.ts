/** Lanes by who named them; the first that fits decides. */
export interface LaneChoice {
  readonly kind: 'prompt' | 'run'
  readonly task: string | undefined
  readonly defaults: string | undefined
  readonly board: string | undefined
}

/**
 * The name of the lane that a card gets: its own whatever it is, else the first of its batch's and its board's that
 * `fits` its kind, else `chat` for a prompt and `command` for a command (files-and-cli section 2, rules).
 */
export function chooseLane({ kind, task, defaults, board }: LaneChoice, fits: (name: string) => boolean): string {
  if (task !== undefined) return task
  const inherited = [defaults, board].filter((name) => name !== undefined)
  return inherited.find(fits) ?? (kind === 'prompt' ? 'chat' : 'command')
}
