import type { NeedLeft, Task, TaskSpec } from '../../board/index.ts'
import type { RunPlan } from '../run-plan.ts'

/** All that a lane needs to say how a task is started. Built twice: with a stand-in folder before the claim, then for real. */
export interface LaunchContext {
  readonly task: Task
  readonly spec: TaskSpec
  readonly plan: RunPlan
  /** 1 for the first. */
  readonly attempt: number
  readonly runDir: string
  /** `R981` */
  readonly runName: string
  readonly fence: number
  /** Whole environment of the worker; what `${{ env.NAME }}` means. */
  readonly env: Readonly<Record<string, string>>
  /** Program and first arguments that start this program again. */
  readonly self: readonly string[]
  /** The lane's account needs no secret. */
  readonly keyless: boolean
  /** Results of the tasks before this one; read only where they are asked for. */
  readonly needs: () => readonly NeedResult[]
  /** Whether the conversation of an attempt before is gone on with, asked with the task's own text. Absent: it begins anew. */
  readonly goOn?: (text: string) => GoOn | undefined
  /** Reason in the report of the attempt before; read only where it is asked for. Absent: there is none. */
  readonly lastReason?: () => string | null
  /** Text of `prompt.md` around the task's own, which is handed in filled; composed only where the lane uses it. */
  readonly composePrompt: (text: string) => string
}

/** A conversation to go on with. */
export interface GoOn {
  /** Absolute path of its transcript. */
  readonly transcript: string
  /** What `prompt.md` holds instead of the whole task: what is new. */
  readonly prompt: string
}

/** What a task before this one left, with the end of its output. */
export interface NeedResult extends NeedLeft {
  readonly output: string | null
}

/** What to start. Files are written into the run directory first: long text never travels by argument. */
export interface LaneLaunch {
  readonly argv: readonly string[]
  readonly files: readonly { readonly name: string; readonly text: string }[]
}

export type BuiltLaunch =
  | { readonly ok: true; readonly launch: LaneLaunch }
  /** The task asks for something that cannot be started; `says` names it. */
  | { readonly ok: false; readonly says: string }

export const promptFile = 'prompt.md'
export const reportFile = 'report.json'
