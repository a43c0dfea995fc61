import { isFields, type Path } from '../../kernel/config/index.ts'

/** A text of the fields about the code, with which of them it belongs to. */
export interface CodeText {
  /** From the task, or from `defaults`, on. */
  readonly path: Path
  readonly text: string
  /**
   * folder: of `workspace`. ref: what it begins from. glob: what may change. word: an argument of a check or a setup. shell:
   * the whole of one as text, into which nothing is ever put.
   */
  readonly of: 'folder' | 'ref' | 'glob' | 'word' | 'shell'
}

interface CodeFields {
  readonly check?: unknown
  readonly may_change?: unknown
  readonly workspace?: unknown
}

/** Every text of these fields in which `${{ }}` has a meaning, or must have none. What has not the right shape is passed over. */
export function codeTexts({ check, may_change, workspace }: CodeFields): readonly CodeText[] {
  const { dir, repo, ref, setup, copy } = isFields(workspace) ? workspace : {}
  const key = isFields(setup) ? setup.key : undefined
  return [
    ...stage(['check'], check),
    ...texts(['may_change'], may_change, 'glob'),
    ...texts(['workspace', 'dir'], dir, 'folder'),
    ...texts(['workspace', 'repo'], repo, 'folder'),
    ...texts(['workspace', 'ref'], ref, 'ref'),
    ...stage(['workspace', 'setup'], setup),
    ...texts(['workspace', 'setup', 'key'], key, 'folder'),
    ...texts(['workspace', 'copy'], copy, 'folder'),
  ]
}

function stage(path: Path, written: unknown): readonly CodeText[] {
  if (isFields(written)) return stage([...path, 'run'], written.run)
  return texts(path, written, typeof written === 'string' ? 'shell' : 'word')
}

function texts(path: Path, value: unknown, of: CodeText['of']): readonly CodeText[] {
  if (typeof value === 'string') return [{ path, text: value, of }]
  if (!Array.isArray(value)) return []
  return value.flatMap((text, index) => (typeof text === 'string' ? [{ path: [...path, index], text, of }] : []))
}
