import type { ResolvedSettings } from '../board/index.ts'

/**
 * All that is decided about an attempt at its claim and stored with its run: judge, ladder, adoption and a hub of another
 * configuration use this and nothing newer (design section 6, "Adoption").
 */
export interface RunPlan extends ResolvedSettings {
  readonly kind: 'prompt' | 'run'
  readonly lane: string
  readonly uses: 'chat' | 'command'
  readonly account: string | null
  readonly evidence: 'code' | 'report'
  readonly sysexits: boolean
  /** Absolute folder that it works in. */
  readonly folder: string
  /** The folder is the task's own under the home and is made at the start. */
  readonly scratch: boolean
  readonly command: readonly string[] | null
  readonly model: string | null
  readonly baseUrl: string | null
  readonly system: string | null
}

/** As stored in `run.settings`. */
export const formatRunPlan = (plan: RunPlan): string => JSON.stringify(plan)

/** Reads back what `formatRunPlan` wrote; the store holds nothing else there. */
export const parseRunPlan = (settings: string): RunPlan => JSON.parse(settings) as RunPlan
