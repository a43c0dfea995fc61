import { chooseLane, type LaneChoice } from '../../kernel/index.ts'

/** A lane of the yard, as far as a batch needs to know it. */
export interface LaneOption {
  readonly name: string
  readonly uses: string
  readonly ready: boolean
  /** `ready`, or what is missing. */
  readonly says: string
}

/** The lane that a row will get. The API decides it again and for good; this is for warnings and refusals before that. */
export function laneOf(lanes: readonly LaneOption[], choice: LaneChoice): string {
  return chooseLane(
    choice,
    (name) => choice.kind === 'prompt' || lanes.find((lane) => lane.name === name)?.uses === 'command',
  )
}
