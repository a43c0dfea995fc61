import { beyondCounting, isBeyondCounting, type Path } from '../../kernel/config/index.ts'
import { findPlaceholders, isFields, readRepoAddress, splitNeed, suggestName, whyNoRef } from '../../kernel/index.ts'
import type { BatchRow } from './expand-task.ts'

type Words = { readonly says: string; readonly fix: string }
type Placed = readonly [Path, Words]

interface CodeFields {
  readonly check?: unknown
  readonly review?: unknown
  readonly workspace?: unknown
}

/**
 * What no shape can tell of the fields about the code of a task, or of `defaults`: amounts, reviewers, and repositories and
 * refs that are written out. Those that hold placeholders are looked at once they are filled, see `filledCodeFaults`.
 */
export function codeFaults(fields: CodeFields, lanes: readonly string[]): readonly Placed[] {
  const { check, review, workspace } = fields
  const { setup, repo, ref } = isFields(workspace) ? workspace : {}
  return [
    ...timeoutFault(['check'], check),
    ...timeoutFault(['workspace', 'setup'], setup),
    ...(typeof review !== 'string' || ['none', 'person', ...lanes].includes(review)
      ? []
      : [
          [
            ['review'],
            { says: `names no lane: ${review}`, fix: suggestName(review, ['none', 'person', ...lanes]) },
          ] as const,
        ]),
    ...(isPlain(repo) ? repoFault(repo) : []),
    ...(isPlain(ref) ? refFault(ref) : []),
  ]
}

/** The same of a row, whose placeholders are filled. */
export function filledCodeFaults({ workspace }: CodeFields): readonly Placed[] {
  const { repo, ref } = isFields(workspace) ? workspace : {}
  return [...(typeof repo === 'string' ? repoFault(repo) : []), ...(typeof ref === 'string' ? refFault(ref) : [])]
}

/** A ref that names a task of several rows: none of them alone is meant by it. */
export function manyBranchFaults(rows: readonly BatchRow[]): readonly (readonly [task: string, words: Words])[] {
  const sizes = new Map<string, number>()
  for (const { task, key } of rows) sizes.set(task, (sizes.get(task) ?? 0) + (key === task ? 0 : 1))
  const faults = new Map<string, Words>()
  for (const { task, body } of rows) {
    const { workspace }: CodeFields = body
    const { ref } = isFields(workspace) ? workspace : {}
    for (const { name, written } of typeof ref === 'string' ? findPlaceholders(ref) : []) {
      const key = splitNeed(name)?.key ?? ''
      const many = sizes.get(key) ?? 0
      if (many === 0) continue
      const says = `holds ${written}, and ${key} stands for ${many} rows, each with a branch of its own`
      faults.set(task, { says, fix: `need one of them by its whole key, ${key}[…]` })
    }
  }
  return [...faults]
}

const isPlain = (text: unknown): text is string => typeof text === 'string' && !text.includes('${{')

function repoFault(repo: string): readonly Placed[] {
  const address = readRepoAddress(repo)
  return address.kind === 'refused' ? [[['workspace', 'repo'], { says: address.says, fix: address.fix }]] : []
}

function refFault(ref: string): readonly Placed[] {
  const words = whyNoRef(ref)
  return words === undefined ? [] : [[['workspace', 'ref'], words]]
}

function timeoutFault(path: Path, stage: unknown): readonly Placed[] {
  const timeout = isFields(stage) ? stage.timeout : undefined
  return isBeyondCounting(timeout) ? [[[...path, 'timeout'], beyondCounting(timeout)]] : []
}
