import type { TaskId } from '../kernel/index.ts'
import type { Batch, BatchLimits } from './batch.ts'
import type { Task, TaskSettings, TaskSpec } from './task.ts'

// What is asked for when cards are added, alone or as a batch, and what became of it.

export interface NewTask {
  readonly spec: TaskSpec
  readonly lane: string
  readonly priority?: number
  readonly rowKey?: string
  /** Duplicate guard (`add --key`); not for tasks of a batch. */
  readonly key?: string
  readonly draft?: boolean
  readonly notBeforeMs?: number
  /** By id of a task that exists, or by row key of one in the same call. */
  readonly needs?: readonly { readonly on: TaskId | string; readonly when: 'done' | 'always' }[]
}

/** What became of one asked-for task; an existing holder of its key is answered, never silently taken for new. */
export interface CreatedTask {
  readonly task: Task
  readonly created: boolean
}

export interface NewBatch {
  readonly name: string
  readonly key?: string
  readonly digest: string
  readonly file: string | null
  readonly limits: BatchLimits
  readonly defaults: TaskSettings
  readonly tasks: readonly NewTask[]
  /** auto: files-and-cli section 5 decides. resume: the last of this name. failed: that, and its failed are retried. new: a new one. */
  readonly mode: 'auto' | 'resume' | 'failed' | 'new'
  /** Row keys of done tasks that run again. */
  readonly redo: readonly string[]
}

export interface SubmittedBatch {
  readonly batch: Batch
  /** finished: same key, already has a verdict; print its report again and exit with its code. */
  readonly how: 'created' | 'continued' | 'finished'
  /** Row keys that are done and whose text changed since. */
  readonly changedDone: readonly string[]
  readonly tasks: number
}
