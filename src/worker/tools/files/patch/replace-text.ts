import type { Redactor } from '../../../../kernel/index.ts'
import type { ToolOrder, ToolResult } from '../../tool.ts'
import { noteChange } from '../change-notes.ts'
import type { ChangeDeps } from '../file-deps.ts'
import { refuse } from '../file-result.ts'
import { flattenNewlines, flattenText } from '../flat-text.ts'
import { climb, mostLooseLines } from '../ladder/climb.ts'
import { type LineText, lineOf, splitLines } from '../ladder/line-text.ts'
import { describeNearest } from '../ladder/nearest.ts'
import { mostPlaces } from '../ladder/places-exact.ts'
import { isGuess, numberOf, type Rung, rungs, sayRung } from '../ladder/rungs.ts'
import { type Place, splitEdit, type WantedEdit } from '../ladder/wanted-edit.ts'
import { sayLostSecret } from '../lost-secret.ts'
import { seenOf } from '../open-file.ts'
import { placeFiles } from '../place-files.ts'
import { findPlaceholder, isEscapedTwice } from '../suspect-text.ts'
import { encodeText, type TextForm } from '../text-form.ts'
import { writeWhole } from '../write-whole.ts'
import {
  editableText,
  findPlace,
  isMisfit,
  type LoadedFile,
  largestEditedBytes,
  loadFile,
  type Misfit,
  misfit,
} from './load-file.ts'
import { showDiff } from './show-diff.ts'

interface Replacement {
  readonly path: string
  readonly old: string
  readonly next: string
  readonly which: 'one' | 'all'
}

interface Decided {
  readonly rung: Rung
  readonly places: readonly Place[]
  readonly flat: string
  readonly text: string
}

/** Puts one text in the place of another in one file: where it stands is found by the ladder, and only one place will do. */
export async function replaceText(
  deps: ChangeDeps,
  wanted: Replacement,
  order: Pick<ToolOrder, 'signal'>,
): Promise<ToolResult> {
  const { register, maskKnown } = deps
  const place = await findPlace(deps, wanted.path)
  if (isMisfit(place)) return refuse('patch', place.says, [place.counts])
  const loaded = await loadFile(deps, place)
  if (isMisfit(loaded)) return refuse('patch', loaded.says, [loaded.counts])
  if (loaded.kind === 'missing') {
    if (wanted.old !== '') return refuse('patch', loaded.says, ['edit_refused'])
    return await writeWhole(deps, { path: wanted.path, content: wanted.next }, order) // nothing in place of nothing: a new file
  }
  const form = editableText(deps, loaded)
  if (isMisfit(form)) return refuse('patch', form.says, [form.counts])
  const decided = decide(form, loaded, wanted, {
    known: register.isKnown(loaded.path) ? 'read' : 'unread',
    maskKnown,
  })
  if (isMisfit(decided)) {
    register.noteMisfit(loaded.path)
    return refuse('patch', decided.says, [decided.counts])
  }
  const lost = sayLostSecret(maskKnown, form.text, decided.text)
  if (lost !== undefined) return refuse('patch', lost, ['edit_refused'])
  if (order.signal.aborted) return refuse('patch', 'the worker was told to stop; nothing was written')
  return await put(deps, loaded, form, decided)
}

/** What the file is to hold; nothing is written here. */
function decide(
  form: TextForm,
  { shown }: LoadedFile,
  { old, next, which }: Replacement,
  { known, maskKnown }: { readonly known: 'read' | 'unread'; readonly maskKnown: Redactor },
): Decided | Misfit {
  const { flat, fill } = flattenText(form.text)
  const edit = splitEdit(flattenNewlines(old), flattenNewlines(next))
  const refused = whyRefused(edit, flat)
  if (refused !== undefined) return misfit(refused)
  const file = splitLines(flat)
  const climbed =
    flat === ''
      ? ({ kind: 'found', rung: 'exact', places: [{ start: 0, end: 0, text: edit.next }] } as const)
      : climb(file, edit, which)
  switch (climbed.kind) {
    case 'none':
      return misfit(sayNotFound(splitLines(maskKnown(flat)), edit, shown), 'edit_not_found')
    case 'ambiguous':
      return misfit(sayAmbiguous(climbed, shown), 'edit_ambiguous')
    case 'found':
      break
  }
  const { rung, places } = climbed
  if (isGuess(rung) && known === 'unread') {
    return misfit(`in ${shown} old was found only ${sayRung(rung)}, and you have not read that file: read it first`)
  }
  const text = fill(places)
  if (text === form.text) return misfit(`that changes nothing in ${shown}: it holds just this already`)
  if (Buffer.byteLength(text) > largestEditedBytes) return misfit(`${shown} would be larger than 8 MiB`)
  return { rung, places, flat, text }
}

function whyRefused(edit: WantedEdit, flat: string): string | undefined {
  const { old, next } = edit
  if (old === next) return 'old and new are the same'
  if (old === '' && flat !== '') {
    return 'old is empty and the file is not: give the line after which the new text belongs, and repeat it in new; to replace the whole file use write'
  }
  if (edit.oldLines.every((line) => /^\s*\d+\t/.test(line)) && !flat.includes(old)) {
    return 'the lines of old begin with the numbers that read shows: leave them out, with the tab, in old and in new'
  }
  const placeholder = findPlaceholder(next, flat + old)
  if (placeholder !== undefined) {
    return `new holds the line ${JSON.stringify(placeholder)}, which stands for text that you left out: send all of it, or a smaller old`
  }
  if (isEscapedTwice(next, flat + old)) {
    return 'new seems to be escaped twice: it holds \\n or \\" where a line end or a quote is meant; send it unescaped. If the backslashes are meant, use the form with patch'
  }
  return undefined
}

function sayNotFound(file: LineText, edit: WantedEdit, shown: string): string {
  const nearest = describeNearest(file, edit)
  const looked =
    file.lines.length > mostLooseLines
      ? `where only the very letters count, because it has more than ${mostLooseLines} lines`
      : `in none of ${rungs.length} ways of looking`
  const head = `old was not found in ${shown}, ${looked}.`
  if (nearest === undefined)
    return `${head} Nothing in it is like it; is it another file? Read it, or search for a word of it.`
  return `${head}\n${nearest}\nRead the lines around it before the next try.`
}

function sayAmbiguous(
  { rung, lines }: { readonly rung: Rung; readonly lines: readonly number[] },
  shown: string,
): string {
  const named = lines.slice(0, 20).join(', ')
  const times = lines.length >= mostPlaces ? `${mostPlaces} times or more` : `${lines.length} times`
  const more = lines.length > 20 ? ` and ${lines.length - 20} more` : ''
  const how = rung === 'exact' ? '' : ` when compared ${sayRung(rung)}`
  return `old stands in ${shown} ${times}${how}: at lines ${named}${more}. Give more lines around the one you mean${isGuess(rung) ? '' : ', or all: true'}`
}

async function put(
  { register, maskKnown }: ChangeDeps,
  { path, shown, stat, seen }: LoadedFile,
  form: TextForm,
  { rung, places, flat, text }: Decided,
): Promise<ToolResult> {
  const content = encodeText({ ...form, text })
  const placed = await placeFiles([{ path, shown, before: stat, after: content }])
  if (!placed.ok) return refuse('patch', placed.says)
  const notes = noteChange(register, {
    path,
    shown,
    seen: seenOf(content),
    text,
    what: 'part',
    before: { hash: seen.hash, text: form.text },
  })
  const file = splitLines(flat)
  const lines = places.map(({ start }) => lineOf(file, start))
  const done = `patched ${shown} at ${lines.length === 1 ? `line ${lines[0]}` : `${lines.length} places, lines ${lines.slice(0, 20).join(', ')}`}`
  const how =
    rung === 'exact'
      ? ''
      : `, found ${sayRung(rung)} (rung ${numberOf(rung)} of ${rungs.length}); see that it is what you meant:`
  const diff = rung === 'exact' ? [] : [showDiff(maskKnown(flat), maskKnown(flattenNewlines(text)))]
  return {
    text: [done + how, ...diff, ...notes.warnings.map((warning) => `[warning: ${warning}]`)].join('\n'),
    summary: `${done} (${rung})`,
    outcome: 'ok',
    counts: [`edit_${rung}`, ...notes.counts],
  }
}
