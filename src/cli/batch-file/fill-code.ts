import { isAbsolute, resolve } from 'node:path'
import { resolveRepo } from '../../kernel/config/index.ts'
import { fillPlaceholders } from '../../kernel/index.ts'
import type { WrittenTask } from './batch-schema.ts'
import type { MatrixRow } from './expand-matrix.ts'
import { fillForLater, fillKnown } from './fill-texts.ts'

/** What is known where the fields about the code are filled. */
export interface CodePlace {
  readonly row: MatrixRow | undefined
  /** Absolute folder of the batch file. */
  readonly dir: string
  readonly env: Readonly<Record<string, string | undefined>>
}

type CodeFields = { readonly [Field in 'check' | 'may_change' | 'workspace']: WrittenTask[Field] | undefined }

/** The fields about the code with everything filled in that is known when the file is read, paths as absolute. */
export function fillCode(
  { check, may_change, workspace }: CodeFields,
  place: CodePlace,
): Pick<WrittenTask, keyof CodeFields> {
  const glob = (text: string) => fillGlob(text, place)
  return {
    ...(check === undefined ? {} : { check: fillCheck(check, place) }),
    ...(may_change === undefined
      ? {}
      : { may_change: typeof may_change === 'string' ? glob(may_change) : may_change.map(glob) }),
    ...(workspace === undefined ? {} : { workspace: fillWorkspace(workspace, place) }),
  }
}

/** Relative folders are the file's: resolved here, because the hub works from somewhere else. */
function fillWorkspace(
  workspace: NonNullable<WrittenTask['workspace']>,
  place: CodePlace,
): NonNullable<WrittenTask['workspace']> {
  const { row, dir: folder, env } = place
  if (typeof workspace === 'string') return workspace
  if ('dir' in workspace) {
    const path = fillKnown(workspace.dir, row, env)
    return { ...workspace, dir: isAbsolute(path) ? path : resolve(folder, path) }
  }
  const { repo, ref, setup, copy, ...others } = workspace
  return {
    ...others,
    ...(repo === undefined
      ? {}
      : { repo: resolveRepo(fillKnown(repo, row, env), { folder, userHome: env.HOME || undefined }) }),
    ...(ref === undefined ? {} : { ref: fillRef(ref, place) }),
    ...(setup === undefined ? {} : { setup: setup === null ? null : fillSetup(setup, place) }),
    ...(copy === undefined ? {} : { copy: copy.map((path) => fillKnown(path, row, env)) }),
  }
}

type Worktree = Exclude<Exclude<WrittenTask['workspace'], string | undefined>, { dir: string }>
type Check = NonNullable<WrittenTask['check']>
type Setup = NonNullable<Worktree['setup']>

function fillCheck(check: Check | null, { row }: CodePlace): Check | null {
  if (check === null) return null
  return isWords(check) ? fillWords(check, row) : { ...check, run: fillWords(check.run, row) }
}

function fillSetup(setup: Setup, { row, env }: CodePlace): Setup {
  if (isWords(setup)) return fillWords(setup, row)
  const { run, key, ...others } = setup
  return {
    ...others,
    run: fillWords(run, row),
    ...(key === undefined ? {} : { key: key.map((path) => fillKnown(path, row, env)) }),
  }
}

type Words = string | string[]

const isWords = (stage: Check | Setup): stage is Words => typeof stage === 'string' || Array.isArray(stage)

/** Text is for a shell: nothing is ever put into it. Arguments are filled like those of `run`, and once more by the hub. */
const fillWords = (words: Words, row: MatrixRow | undefined): Words =>
  typeof words === 'string' ? words : words.map((word) => fillForLater(word, row))

/** A value stands for itself in a pattern: of the file `src/[id].ts` the brackets are part of the name. */
function fillGlob(text: string, { row, env }: CodePlace): string {
  return fillPlaceholders(text, ({ scope, name }) => {
    const value = scope === 'matrix' ? row?.names.get(name) : scope === 'env' ? env[name] : undefined
    return value?.replace(/[\\*?[\]{}()!+@|]/g, '\\$&')
  })
}

/** What the tasks before it leave in git is not known yet, and stays for the hub. */
function fillRef(text: string, { row, env }: CodePlace): string {
  return fillPlaceholders(text, ({ scope, name }) => {
    if (scope === 'matrix') return row?.names.get(name)
    return scope === 'env' ? env[name] : undefined
  })
}
