import { beyondCounting, isBeyondCounting, type Path } from '../../kernel/config/index.ts'
import { isFields, readRepoAddress, suggestName, whyNoRef } from '../../kernel/index.ts'

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
