import { onOneLine } from '../render/visible.ts'

/** What stands above the diff in a patch file of a report: enough to apply it where no hub knows of it. */
export interface PatchHeader {
  readonly task: number
  readonly run: number
  /** Key in the batch file; the title where it has none. */
  readonly key: string
  readonly title: string
  /** As the task named it: absolute path or URL. */
  readonly repo: string
  readonly branch: string
  readonly baseRef: string | null
  /** What the diff is against. */
  readonly baseCommit: string
  readonly headCommit: string
  /** How the attempt ended. */
  readonly outcome: string
  /** A check of ours passed on it. */
  readonly checked: boolean
  /** Of the diff below it: a file that has fewer was cut. */
  readonly bytes: number
}

const names = {
  task: 'Yardmaster-Task',
  run: 'Yardmaster-Run',
  key: 'Yardmaster-Key',
  title: 'Yardmaster-Title',
  repo: 'Yardmaster-Repo',
  branch: 'Yardmaster-Branch',
  baseRef: 'Yardmaster-Base-Ref',
  baseCommit: 'Yardmaster-Base',
  headCommit: 'Yardmaster-Head',
  outcome: 'Yardmaster-Outcome',
  checked: 'Yardmaster-Checked',
  bytes: 'Yardmaster-Bytes',
} as const satisfies Record<keyof PatchHeader, string>

/**
 * The header as text, a line of `---` behind it: a mail as `git format-patch` writes it, so that `git am` takes the file, too,
 * and these lines become the trailers of its commit. `git apply` reads over it: no line of it can be one of a diff.
 */
export function renderPatchHeader(header: PatchHeader): string {
  const values: Readonly<Record<keyof PatchHeader, string | null>> = {
    ...header,
    task: `T${header.task}`,
    run: `R${header.run}`,
    checked: header.checked ? 'yes' : 'no',
    bytes: String(header.bytes),
  }
  const lines = Object.entries(names).flatMap(([field, name]) => {
    const value = values[field as keyof PatchHeader]
    return value === null ? [] : [`${name}: ${onOneLine(value)}`]
  })
  const mail = [
    `From ${header.headCommit} ${mailDate}`,
    'From: Yardmaster <yardmaster@localhost>',
    `Subject: [PATCH] ${onOneLine(header.title)}`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=UTF-8',
    'Content-Transfer-Encoding: 8bit',
  ]
  return `${mail.join('\n')}\n\n${lines.join('\n')}\n---\n\n`
}

/** What git writes there for every patch: by it, and by nothing else, programs know a file of git. */
const mailDate = 'Mon Sep 17 00:00:00 2001'

/** The header that a patch file begins with; undefined where it is none of ours. Bytes of the diff follow it. */
export function parsePatchHeader(text: string): PatchHeader | undefined {
  const end = /^(---$|diff --git )/m.exec(text)?.index
  const lines = text
    .slice(0, end)
    .split('\n')
    .filter((line) => line.startsWith('Yardmaster-'))
  const said = new Map(lines.map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]))
  const task = numberAfter('T', said.get(names.task))
  const run = numberAfter('R', said.get(names.run))
  const baseCommit = commitOf(said.get(names.baseCommit))
  const headCommit = commitOf(said.get(names.headCommit))
  const bytes = said.get(names.bytes) ?? ''
  if (task === undefined || run === undefined || baseCommit === undefined || headCommit === undefined) return undefined
  const textOf = (field: keyof PatchHeader) => said.get(names[field]) ?? ''
  return {
    task,
    run,
    key: textOf('key'),
    title: textOf('title'),
    repo: textOf('repo'),
    branch: textOf('branch'),
    baseRef: said.get(names.baseRef) ?? null,
    baseCommit,
    headCommit,
    outcome: textOf('outcome'),
    checked: said.get(names.checked) === 'yes',
    bytes: /^\d{1,15}$/.test(bytes) ? Number(bytes) : 0,
  }
}

function numberAfter(letter: string, text: string | undefined): number | undefined {
  const digits = /^[A-Z]([1-9]\d{0,14})$/.exec(text ?? '')?.[1]
  return digits === undefined || text?.[0] !== letter ? undefined : Number(digits)
}

/** SHA-1 or SHA-256 of git. */
const commitOf = (text: string | undefined): string | undefined =>
  /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text ?? '') ? text : undefined
