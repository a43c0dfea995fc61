/** One stretch of changes: lines that stay, go and come, in order. */
export interface Hunk {
  /** Lines above it that say where it is, outermost first. */
  readonly anchors: readonly string[]
  readonly rows: readonly { readonly kind: 'stays' | 'goes' | 'comes'; readonly text: string }[]
  readonly at: 'anywhere' | 'end_of_file'
  /** Where in the patch it begins, from 1. */
  readonly patchLine: number
}

export type FilePatch =
  | { readonly kind: 'add'; readonly path: string; readonly lines: readonly string[] }
  | { readonly kind: 'delete'; readonly path: string }
  | {
      readonly kind: 'update'
      readonly path: string
      readonly moveTo: string | undefined
      readonly hunks: readonly Hunk[]
    }

export type ParsedPatch =
  | { readonly ok: true; readonly files: readonly FilePatch[] }
  | { readonly ok: false; readonly says: string }

const mostAnchors = 20
const begin = '*** Begin Patch'
const end = '*** End Patch'
const endOfFile = '*** End of File'
const fileMark = /^\*\*\* (Add|Delete|Update) File:(.*)$/
const moveMark = /^\*\*\* Move to:(.*)$/
/** Of a unified diff. Its numbers are not used: models count badly; the lines say where it is. */
const rangeMark = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@ ?(.*)$/

interface Reader {
  readonly lines: readonly string[]
  at: number
}

class PatchFault extends Error {}

/** The files of a patch text, or what is wrong with it and in which of its lines. A patch without its end was cut, and is refused. */
export function parsePatch(text: string): ParsedPatch {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const first = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('```'))
  if (lines[first]?.trim() !== begin) return { ok: false, says: `the patch must begin with the line ${begin}` }
  const last = lines.findLastIndex((line) => line.trim() === end)
  if (last < 0)
    return { ok: false, says: `the patch does not end with the line ${end}, so it may be cut: send all of it` }
  const behind = lines.slice(last + 1).find((line) => line.trim() !== '' && !line.startsWith('```'))
  if (behind !== undefined)
    return { ok: false, says: `there is text behind ${end}: ${JSON.stringify(behind.slice(0, 80))}` }
  const reader: Reader = { lines: lines.slice(0, last), at: first + 1 }
  try {
    const files: FilePatch[] = []
    while (skipBlank(reader)) files.push(readFilePatch(reader))
    return files.length === 0 ? { ok: false, says: 'the patch names no file' } : { ok: true, files }
  } catch (fault) {
    if (fault instanceof PatchFault) return { ok: false, says: fault.message }
    throw fault
  }
}

function skipBlank(reader: Reader): boolean {
  reader.at = firstFull(reader)
  return reader.at < reader.lines.length
}

function readFilePatch(reader: Reader): FilePatch {
  const line = reader.lines[reader.at] ?? ''
  const [, verb, name] = fileMark.exec(line) ?? []
  const path = name?.trim() ?? ''
  if (verb === undefined)
    throw fault(reader, `should be *** Add File:, *** Update File: or *** Delete File:, and is ${quote(line)}`)
  if (path === '') throw fault(reader, 'names no file')
  reader.at += 1
  if (verb === 'Delete') return { kind: 'delete', path }
  if (verb === 'Add') return { kind: 'add', path, lines: readAdded(reader) }
  const [, target] = moveMark.exec(reader.lines[reader.at] ?? '') ?? []
  if (target !== undefined) reader.at += 1
  const hunks: Hunk[] = []
  while (reader.at < reader.lines.length && !fileMark.test(reader.lines[reader.at] ?? '')) {
    const hunk = readHunk(reader)
    if (hunk !== undefined) hunks.push(hunk)
  }
  if (hunks.length === 0 && target === undefined) throw fault(reader, `comes where ${path} should have changes`)
  return { kind: 'update', path, moveTo: target?.trim(), hunks }
}

function readAdded(reader: Reader): readonly string[] {
  const added: string[] = []
  for (; reader.at < reader.lines.length; reader.at += 1) {
    const line = reader.lines[reader.at] ?? ''
    if (fileMark.test(line)) break
    if (line === endOfFile) continue
    if (line.trim() === '') {
      const next = firstFull(reader)
      if (next < reader.lines.length && !fileMark.test(reader.lines[next] ?? '')) {
        throw fault(reader, 'of an added file must begin with +, and is empty')
      }
      reader.at = next // blank lines before the next file are there for the eye
      break
    }
    if (!line.startsWith('+')) throw fault(reader, `of an added file must begin with +, and is ${quote(line)}`)
    added.push(line.slice(1))
  }
  return added
}

/** Undefined for blank lines between files. */
function readHunk(reader: Reader): Hunk | undefined {
  const patchLine = reader.at + 1
  const anchors: string[] = []
  for (; reader.lines[reader.at]?.startsWith('@@'); reader.at += 1) {
    const anchor = readAnchor(reader.lines[reader.at] ?? '')
    if (anchor !== '') anchors.push(anchor)
    if (anchors.length > mostAnchors) throw fault(reader, `is one more @@ above a change than ${mostAnchors}`)
  }
  const rows: { kind: 'stays' | 'goes' | 'comes'; text: string }[] = []
  let at: Hunk['at'] = 'anywhere'
  for (; reader.at < reader.lines.length; reader.at += 1) {
    const line = reader.lines[reader.at] ?? ''
    if (line.startsWith('@@') || fileMark.test(line)) break
    if (line.trimEnd() === endOfFile) {
      at = 'end_of_file'
      reader.at += 1
      break
    }
    rows.push(readRow(reader, line))
  }
  if (at === 'anywhere')
    while (rows.at(-1)?.kind === 'stays' && rows.at(-1)?.text === '' && endsSection(reader)) rows.pop()
  if (rows.length === 0 && anchors.length === 0 && at === 'anywhere') return undefined
  if (!rows.some(({ kind }) => kind !== 'stays')) {
    throw new PatchFault(
      `the changes that begin in line ${patchLine} of the patch change nothing: no line begins with - or +`,
    )
  }
  return { anchors, rows, at, patchLine }
}

/** Blank lines before the next file, or before the end, are there for the eye. */
const endsSection = (reader: Reader): boolean =>
  reader.at >= reader.lines.length || fileMark.test(reader.lines[reader.at] ?? '')

function readAnchor(line: string): string {
  const range = rangeMark.exec(line)
  const anchor = (range === null ? line.slice(2) : (range[1] ?? '')).trim()
  return anchor.endsWith('@@') ? anchor.slice(0, -2).trimEnd() : anchor
}

function readRow(reader: Reader, line: string): Hunk['rows'][number] {
  const text = line.slice(1)
  if (line === '') return { kind: 'stays', text: '' }
  if (line.startsWith(' ')) return { kind: 'stays', text }
  if (line.startsWith('-')) return { kind: 'goes', text }
  if (line.startsWith('+')) return { kind: 'comes', text }
  throw fault(reader, `must begin with a space, - or +, and is ${quote(line)}`)
}

function firstFull({ lines, at }: Reader): number {
  let next = at
  while (lines[next]?.trim() === '') next += 1
  return next
}

const fault = ({ at }: Reader, says: string): PatchFault => new PatchFault(`line ${at + 1} of the patch ${says}`)

const quote = (line: string): string => JSON.stringify(line.slice(0, 80))
