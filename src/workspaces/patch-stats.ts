import { textOfPath } from './patch-path.ts'

/** One file that differs; the same shape as the board's `ChangedFile`, which this part does not know. */
export interface ChangedFile {
  readonly path: string
  readonly status: 'added' | 'modified' | 'deleted' | 'type_changed'
  /** Null for a binary file. */
  readonly insertions: number | null
  readonly deletions: number | null
}

export interface PatchStats {
  /** Of all files, `files` may name fewer. */
  readonly fileCount: number
  readonly insertions: number
  readonly deletions: number
  /** At most `mostFilesNamed`, by path. */
  readonly files: readonly ChangedFile[]
  /** Paths that may not be changed, at most `mostFilesNamed`. */
  readonly outside: readonly string[]
  /** Contents of binary files before and after: which of them are too large for a patch is asked apart. */
  readonly binary: readonly BinaryFile[]
  /** Folders of other repositories (submodules) among them. */
  readonly gitlinks: readonly string[]
}

export interface BinaryFile {
  readonly path: Buffer
  readonly contents: readonly string[]
}

export const mostFilesNamed = 1_000
/** More are not looked at one by one. */
const mostContents = 100_000

/** The arguments that make git print what `readPatchStats` reads. Renames are shown as one file gone and one come. */
export const statsArguments = [
  'diff-tree',
  '-r',
  '-z',
  '--raw',
  '--numstat',
  '--no-renames',
  '--no-ext-diff',
  '--ignore-submodules=none',
]

interface Counts {
  fileCount: number
  insertions: number
  deletions: number
}

/**
 * Reads `git diff-tree -r -z --raw --numstat` piece by piece, so that a change of a million files costs no memory: first a
 * record for each file with what became of it, then in the same order one with its lines.
 */
export async function readPatchStats(
  chunks: AsyncIterable<Buffer>,
  mayChange: (path: string) => boolean,
): Promise<PatchStats> {
  const counts: Counts = { fileCount: 0, insertions: 0, deletions: 0 }
  const named = new Map<string, { -readonly [Key in keyof ChangedFile]: ChangedFile[Key] }>()
  const outside: string[] = []
  const gitlinks: string[] = []
  const binary: BinaryFile[] = []
  const contentsOf = new Map<string, readonly string[]>()
  let raw: RawRecord | undefined
  for await (const field of fieldsOf(chunks)) {
    if (raw !== undefined) {
      const path = textOfPath(field)
      if (named.size < mostFilesNamed) named.set(path, { path, status: raw.status, insertions: null, deletions: null })
      if (outside.length < mostFilesNamed && !mayChange(path)) outside.push(path)
      if (raw.isGitlink && gitlinks.length < mostFilesNamed) gitlinks.push(path)
      if (counts.fileCount < mostContents && !raw.isGitlink) contentsOf.set(path, raw.contents)
      counts.fileCount += 1
      raw = undefined
    } else if (field[0] === colon) {
      raw = readRaw(field.toString('latin1'))
    } else {
      const [insertions, deletions, path] = readNumbers(field)
      const text = textOfPath(path)
      const row = named.get(text)
      if (row !== undefined) Object.assign(row, { insertions, deletions })
      const contents = insertions === null ? contentsOf.get(text) : undefined
      // A copy: the field is a view of a piece that is read over.
      if (contents !== undefined) binary.push({ path: Buffer.from(path), contents })
      counts.insertions += insertions ?? 0
      counts.deletions += deletions ?? 0
    }
  }
  return { ...counts, files: [...named.values()], outside, binary, gitlinks }
}

const colon = 0x3a
const gitlinkMode = '160000'
const noContent = /^0+$/

interface RawRecord {
  readonly status: ChangedFile['status']
  readonly isGitlink: boolean
  readonly contents: readonly string[]
}

/** `:100644 100755 abc… def… M`. */
function readRaw(field: string): RawRecord {
  const [before = '', after = '', old = '', now = '', letter = 'M'] = field.slice(1).split(' ')
  const isGitlink = before === gitlinkMode || after === gitlinkMode
  return {
    status: statuses[letter] ?? 'modified',
    isGitlink,
    contents: [old, now].filter((content) => !noContent.test(content)),
  }
}

const statuses: Readonly<Record<string, ChangedFile['status']>> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  T: 'type_changed',
}

/** `12<TAB>3<TAB>path`, `-` twice for a binary file. */
function readNumbers(field: Buffer): readonly [number | null, number | null, Buffer] {
  const first = field.indexOf(9)
  const second = field.indexOf(9, first + 1)
  const number = (text: string) => (text === '-' ? null : Number(text))
  return [
    number(field.toString('latin1', 0, first)),
    number(field.toString('latin1', first + 1, second)),
    field.subarray(second + 1),
  ]
}

async function* fieldsOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let from = 0
    for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, from)) {
      yield bytes.subarray(from, end)
      from = end + 1
    }
    rest = bytes.subarray(from)
  }
}
