import fs from 'node:fs'
import type { Redactor } from '../../../kernel/index.ts'
import type { Tool, ToolArguments, ToolResult } from '../tool.ts'
import { resolveReadable } from './inside-workspace.ts'

const largestBytes = 16 * 1024 * 1024
const mostLines = 2_000
const lineChars = 2_000
const resultChars = 100_000

export interface ReadToolDeps {
  readonly workspace: string
  readonly given: string | undefined
  readonly maskKnown: Redactor
}

/** Reads a text file of the workspace, or one that was given with the task, or a part of it. */
export const createReadTool = (deps: ReadToolDeps): Tool => ({
  name: 'read',
  means: `Read a text file of the workspace, or one that was given with the task: at most ${mostLines} lines at a time, longer lines are cut.`,
  fields: [
    {
      name: 'path',
      type: 'string',
      means: 'file, relative to the workspace, or the whole path of one that was given',
      required: true,
    },
    { name: 'first_line', type: 'integer', means: 'first line to read, from 1', required: false, least: 1 },
    { name: 'lines', type: 'integer', means: 'how many lines', required: false, least: 1, most: mostLines },
  ],
  effect: 'reads',
  run: (args) => readFileTool(deps, args),
})

async function readFileTool({ workspace, given, maskKnown }: ReadToolDeps, args: ToolArguments): Promise<ToolResult> {
  const inside = await resolveReadable({ workspace, given }, String(args.path))
  if (!inside.ok) return refused(inside.says)
  const bytes = await readBytes(inside.path)
  if (typeof bytes === 'string') return refused(`${inside.shown} ${bytes}`)
  if (bytes.subarray(0, 8_192).includes(0)) return refused(`${inside.shown} is no text: it holds zero bytes`)
  const lines = bytes.toString('utf8').split('\n')
  if (lines.at(-1) === '') lines.pop() // the end of the last line is no line of its own
  const first = Number(args.first_line ?? 1)
  const taken = takeLines(lines.slice(first - 1), Number(args.lines ?? mostLines))
  const last = first - 1 + taken.length
  const rest =
    last < lines.length ? `\n[lines ${first} to ${last} of ${lines.length}; go on with first_line ${last + 1}]` : ''
  const text = lines.length === 0 ? '[the file is empty]' : `${taken.join('\n')}${rest}`
  const summary = `read ${inside.shown}: ${taken.length} of ${lines.length} lines`
  return { text: maskKnown(text), summary, outcome: 'ok' }
}

function takeLines(lines: readonly string[], most: number): readonly string[] {
  const taken: string[] = []
  let chars = 0
  for (const line of lines.slice(0, most)) {
    const cut =
      line.length > lineChars ? `${line.slice(0, lineChars)}[… ${line.length - lineChars} characters left out]` : line
    chars += cut.length
    if (chars > resultChars) break
    taken.push(cut)
  }
  return taken
}

async function readBytes(path: string): Promise<Buffer | string> {
  const file = await fs.promises.open(path, 'r').catch((fault: NodeJS.ErrnoException) => fault)
  if (file instanceof Error) return `cannot be read (${file.code})`
  try {
    const { size } = await file.stat().then((stat) => (stat.isFile() ? stat : { size: -1 }))
    if (size < 0) return 'is no file; list a folder with the terminal'
    if (size > largestBytes) return `has ${size} bytes; look at parts of it with the terminal (head, sed -n, grep)`
    return await file.readFile()
  } finally {
    await file.close()
  }
}

const refused = (says: string): ToolResult => ({
  text: `error: ${says}`,
  summary: `read refused: ${says}`,
  outcome: 'failed',
})
