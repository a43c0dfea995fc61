/** What was asked for; null or absent: by the size of the conversation and by where the server stands. */
export interface AskedLimits {
  readonly firstByteMs?: number | null | undefined
  readonly firstEventMs?: number | null | undefined
  readonly idleMs?: number | null | undefined
  readonly wholeCallMs?: number | null | undefined
}
