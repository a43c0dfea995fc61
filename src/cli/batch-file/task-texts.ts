import type { Path } from '../../kernel/config/index.ts'
import { refPlaceholders } from '../../kernel/index.ts'
import type { WrittenTask } from './batch-schema.ts'
import type { Scope } from './check-placeholders.ts'
import { type CodeText, codeTexts } from './code-texts.ts'

/** A text of a task that may hold placeholders, and what is known there. */
export interface TaskText {
  /** From the task on. */
  readonly path: Path
  readonly text: string
  readonly scopes: readonly Scope[]
  /** What is known of a need there, where it is something else than in a prompt. */
  readonly needFields?: readonly string[]
}

const beforeStart: readonly Scope[] = ['matrix']
const inFolders: readonly Scope[] = ['matrix', 'env']
/** Also what is known in a prompt that stands in a file of its own. */
export const promptScopes: readonly Scope[] = ['matrix', 'task', 'needs']

/** Every text of a task in which `${{ }}` has a meaning. Text-form `run` is none of them: see `readTemplates`. */
export function taskTexts(task: WrittenTask): readonly TaskText[] {
  const { title, prompt, run, env, labels, needs } = task
  const texts: TaskText[] = []
  const add = (path: Path, text: string, scopes: readonly Scope[]) => texts.push({ path, text, scopes })
  if (title !== undefined) add(['title'], title, beforeStart)
  if (typeof prompt === 'string') add(['prompt'], prompt, promptScopes)
  else if (prompt !== undefined) add(['prompt', 'file'], prompt.file, beforeStart)
  if (Array.isArray(run)) for (const [index, word] of run.entries()) add(['run', index], word, promptScopes)
  for (const [name, value] of Object.entries(env ?? {})) add(['env', name], value, beforeStart)
  for (const [index, label] of (labels ?? []).entries()) add(['labels', index], label, beforeStart)
  if (typeof needs === 'string') add(['needs'], needs, beforeStart)
  if (Array.isArray(needs)) {
    for (const [index, need] of needs.entries()) {
      add(['needs', index], typeof need === 'string' ? need : need.task, beforeStart)
    }
  }
  return [
    ...texts,
    ...codeTexts(task).flatMap(({ of, ...text }) => (of === 'shell' ? [] : [{ ...text, ...inCode[of] }])),
  ]
}

const inCode: Readonly<Record<Exclude<CodeText['of'], 'shell'>, Pick<TaskText, 'scopes' | 'needFields'>>> = {
  folder: { scopes: inFolders },
  ref: { scopes: ['matrix', 'env', 'needs'], needFields: refPlaceholders },
  glob: { scopes: beforeStart },
  word: { scopes: promptScopes },
}
