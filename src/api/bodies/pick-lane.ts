import { chooseLane, type LaneChoice, suggestName } from '../../kernel/index.ts'
import { apiError } from '../errors.ts'
import type { LaneFacts } from '../yard-view.ts'

export interface LaneQuestion extends LaneChoice {
  /** Where the card stands in the body, for messages. */
  readonly where: string
}

/**
 * The lane of a new card: its own, the batch's, the board's, then `chat` for a prompt and `command` for a command.
 * A lane that nobody has is refused at creation, never left to wait (C187). The card's own lane must fit its kind; one
 * in `defaults` or of the board is passed over by cards of the other kind (files-and-cli section 2, rules).
 */
export function pickLane(lanes: readonly LaneFacts[], asked: LaneQuestion): string {
  const { kind, where } = asked
  const named = (name: string): LaneFacts => laneOrThrow(lanes, { lane: name, where })
  const fits = (lane: LaneFacts) => (kind === 'run' ? lane.uses === 'command' : lane.takesPrompts)

  if (asked.task !== undefined) {
    const lane = named(asked.task)
    if (!fits(lane)) throw apiError('API_LANE_DOES_NOT_FIT', { lane: lane.name, kind, where })
    return lane.name
  }
  for (const name of [asked.defaults, asked.board]) if (name !== undefined) named(name)
  return named(chooseLane(asked, (name) => fits(named(name)))).name
}

/** The lane that is to review: any that takes a prompt, the author's own as well. */
export function pickReviewer(lanes: readonly LaneFacts[], asked: { lane: string; where: string }): void {
  const { name, takesPrompts } = laneOrThrow(lanes, asked)
  if (!takesPrompts) throw apiError('API_LANE_DOES_NOT_FIT', { lane: name, kind: 'prompt', where: asked.where })
}

function laneOrThrow(lanes: readonly LaneFacts[], { lane, where }: { lane: string; where: string }): LaneFacts {
  const found = lanes.find((candidate) => candidate.name === lane)
  if (found !== undefined) return found
  const known = lanes.map((candidate) => candidate.name)
  throw apiError('API_UNKNOWN_LANE', { lane, where, suggestion: suggestName(lane, known) })
}
