import type { Redactor } from '../../../../kernel/index.ts'
import { type Fold, foldEnd, foldEnds, foldSigns } from '../ladder/fold-line.ts'
import { type LineText, splitLines } from '../ladder/line-text.ts'
import { describeNearest } from '../ladder/nearest.ts'
import { mostPlaces } from '../ladder/places-exact.ts'
import type { Rung } from '../ladder/rungs.ts'
import { type Place, placeOfLines, splitEdit } from '../ladder/wanted-edit.ts'
import { createFoldedFile, type FoldedFile, findFolded } from './fold-once.ts'
import type { Hunk } from './parse-patch.ts'

/** Rungs that prove their match: a patch over many files guesses nothing. */
const provingRungs: readonly (readonly [Rung, Fold])[] = [
  ['exact', (line) => line],
  ['trailing_space', foldEnd],
  ['indentation', foldEnds],
  ['unicode', foldSigns],
]

export interface PlacedHunk {
  readonly rung: Rung
  readonly place: Place
}

type Placed =
  | { readonly kind: 'placed'; readonly rung: Rung; readonly place: Place; readonly cursor: number }
  | { readonly kind: 'misfit'; readonly says: string; readonly counts: string }

/** Finds the place of each hunk in one file, from the top down. The first that fits nowhere, or in two places, refuses all. */
export function placeHunks(
  file: LineText,
  hunks: readonly Hunk[],
  maskKnown: Redactor,
): { readonly kind: 'placed'; readonly hunks: readonly PlacedHunk[] } | Extract<Placed, { kind: 'misfit' }> {
  const placed: PlacedHunk[] = []
  const folded = createFoldedFile(file.lines)
  let cursor = 0
  for (const hunk of hunks) {
    const found = placeHunk({ ...file, folded, maskKnown }, hunk, cursor)
    if (found.kind === 'misfit') return found
    placed.push({ rung: found.rung, place: found.place })
    cursor = found.cursor
  }
  return { kind: 'placed', hunks: placed }
}

interface HunkedFile extends LineText {
  readonly folded: FoldedFile
  readonly maskKnown: Redactor
}

function placeHunk(file: HunkedFile, hunk: Hunk, cursor: number): Placed {
  const old = hunk.rows.flatMap(({ kind, text }) => (kind === 'comes' ? [] : [text]))
  const next = hunk.rows.flatMap(({ kind, text }) => (kind === 'goes' ? [] : [text]))
  if (old.length === 0) return insert(file, hunk, next, cursor)
  const found = findHunk(file, hunk, old, cursor)
  if (found.kind === 'found') return placeAt(file, found, old, next)
  const last = hunk.rows.at(-1)
  if (found.counts === 'edit_not_found' && old.length > 1 && last?.kind === 'stays' && last.text.trim() === '') {
    const rows = hunk.rows.slice(0, -1) // a blank line behind a hunk is often there for the eye alone
    return placeHunk(file, { ...hunk, rows }, cursor)
  }
  return found
}

function placeAt(
  file: LineText,
  { rung, at }: { readonly rung: Rung; readonly at: number },
  old: readonly string[],
  next: readonly string[],
): Placed {
  const edit = splitEdit(`${old.join('\n')}\n`, next.map((line) => `${line}\n`).join(''))
  return { kind: 'placed', rung, place: placeOfLines(file, at, edit), cursor: at + old.length }
}

function findHunk(
  file: HunkedFile,
  hunk: Hunk,
  old: readonly string[],
  cursor: number,
): { readonly kind: 'found'; readonly rung: Rung; readonly at: number } | Extract<Placed, { kind: 'misfit' }> {
  for (const [rung, fold] of provingRungs) {
    const all = findHere(file.folded, old, fold)
    const atEnd = all.find((at) => hunk.at === 'end_of_file' && at >= cursor && endsFile(file, at + old.length))
    if (atEnd !== undefined) return { kind: 'found', rung, at: atEnd }
    const after = all.filter((at) => at >= cursor)
    if (after.length === 0 && all.length > 0) {
      return misfit(
        `${sayHunk(hunk)} stands at line ${(all[0] ?? 0) + 1}, before the changes above it: put them in the order of the file`,
      )
    }
    const [only] = after
    if (after.length === 1 && only !== undefined) return { kind: 'found', rung, at: only }
    if (after.length > 1) {
      const [chosen, ...others] = behindAnchors(file.folded, hunk.anchors, after, cursor)
      if (chosen !== undefined && others.length === 0) return { kind: 'found', rung, at: chosen }
      const lines = after.slice(0, 20).map((at) => at + 1)
      return misfit(
        `${sayHunk(hunk)} fits at ${after.length} places, lines ${lines.join(', ')}: put more lines around it, or @@ and the line above it`,
        'edit_ambiguous',
      )
    }
  }
  const edit = splitEdit(old.join('\n'), '')
  const nearest = describeNearest(splitLines(file.maskKnown(file.text)), edit)
  return misfit(
    `${sayHunk(hunk)} was not found.${nearest === undefined ? ' Nothing in the file is like it.' : `\n${nearest}`}`,
    'edit_not_found',
  )
}

/** Blank lines alone say nothing, except of each other: they are found only as they are. */
function findHere({ lines, fold: foldAll }: FoldedFile, old: readonly string[], fold: Fold): readonly number[] {
  const folded = old.map(fold)
  if (folded.some((line) => line !== '')) return findFolded(foldAll(fold), folded)
  const runs: number[] = []
  for (let at = 0; at + old.length <= lines.length && runs.length < mostPlaces; at += 1) {
    if (old.every((line, offset) => lines[at + offset] === line)) runs.push(at)
  }
  return runs
}

const endsFile = ({ lines }: LineText, end: number): boolean =>
  end === lines.length || (end === lines.length - 1 && lines[end] === '')

/** Of these places the first behind each line that the anchors lead to; without anchors none is better than another. */
function behindAnchors(
  file: FoldedFile,
  anchors: readonly string[],
  places: readonly number[],
  cursor: number,
): readonly number[] {
  if (anchors.length === 0) return []
  const first = new Set<number>()
  let next = 0 // both are in the order of the file
  for (const anchor of findAnchors(file, anchors, cursor)) {
    while ((places[next] ?? Number.POSITIVE_INFINITY) < anchor) next += 1
    const at = places[next]
    if (at !== undefined) first.add(at)
  }
  return [...first]
}

/** The lines, from 0, at which the last anchor stands, below the ones before it. */
function findAnchors(file: FoldedFile, anchors: readonly string[], cursor: number): readonly number[] {
  const folded = file.fold(foldSigns)
  let starts: readonly number[] = [cursor]
  for (const anchor of anchors) {
    const wanted = foldSigns(anchor)
    const from = starts[0] ?? 0
    const at = folded.rowsOf(wanted).filter((row) => row >= from)
    const within = () => folded.lines.flatMap((line, row) => (row >= from && line.includes(wanted) ? [row] : []))
    starts = at.length > 0 ? at : within()
  }
  return starts
}

/** Only new lines: they need an anchor, or the end of the file. */
function insert(file: HunkedFile, hunk: Hunk, next: readonly string[], cursor: number): Placed {
  const { text, lines, starts } = file
  const lineCount = lines.at(-1) === '' ? lines.length - 1 : lines.length
  const place = (at: number): Placed => {
    const start = at < lines.length ? (starts[at] ?? text.length) : text.length
    const body = next.join('\n')
    const behindOpenLine = start === text.length && text !== '' && !text.endsWith('\n')
    const filled = behindOpenLine ? `\n${body}` : `${body}\n`
    return { kind: 'placed', rung: 'exact', place: { start, end: start, text: filled }, cursor: at }
  }
  if (hunk.at === 'end_of_file' || text === '') return place(lineCount)
  if (hunk.anchors.length === 0) {
    return misfit(
      `${sayHunk(hunk)} has new lines only, and nothing that says where: put a line around them, @@ and the line above, or *** End of File`,
    )
  }
  const anchors = findAnchors(file.folded, hunk.anchors, cursor)
  const [anchor] = anchors
  if (anchor === undefined)
    return misfit(`${sayHunk(hunk)}: no line is ${JSON.stringify(hunk.anchors.at(-1))}`, 'edit_not_found')
  if (anchors.length > 1) {
    const named = anchors.slice(0, 20).map((at) => at + 1)
    return misfit(`${sayHunk(hunk)}: its anchor stands at lines ${named.join(', ')}`, 'edit_ambiguous')
  }
  return place(anchor + 1)
}

const sayHunk = ({ patchLine }: Hunk): string => `the change in line ${patchLine} of the patch`

const misfit = (says: string, counts = 'edit_refused') => ({ kind: 'misfit', says, counts }) as const
