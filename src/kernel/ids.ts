declare const brand: unique symbol
type Branded<Name extends string> = number & { readonly [brand]: Name }

/** Ids are plain positive integers underneath and never change; people read them with their letter (`T5`, `R12`, `B7`). */
export type TaskId = Branded<'TaskId'>
export type RunId = Branded<'RunId'>
export type BatchId = Branded<'BatchId'>

export const taskId = (n: number): TaskId => n as TaskId
export const runId = (n: number): RunId => n as RunId
export const batchId = (n: number): BatchId => n as BatchId

export const formatTaskId = (id: TaskId): string => `T${id}`
export const formatRunId = (id: RunId): string => `R${id}`
export const formatBatchId = (id: BatchId): string => `B${id}`

/** The number behind `T5`, `t5` or `5`; undefined for anything else. The letter, where there is one, must be the asked one. */
export function parseId(letter: 'T' | 'R' | 'B', text: string): number | undefined {
  const match = /^([TRB]?)([1-9][0-9]{0,14})$/i.exec(text)
  if (match === null) return undefined
  const said = match[1]?.toUpperCase()
  return said === '' || said === letter ? Number(match[2]) : undefined
}

/** Boards, lanes, accounts and hosts: lower case, digits, `-`, `_`, at most 64, no leading dash (design section 2). */
export const namePattern = '^[a-z0-9_][a-z0-9_-]{0,63}$'
