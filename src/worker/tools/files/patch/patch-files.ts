import type { ToolOrder, ToolResult } from '../../tool.ts'
import { warnOfTwins } from '../case-twins.ts'
import { noteChange } from '../change-notes.ts'
import type { ChangeDeps } from '../file-deps.ts'
import { refuse } from '../file-result.ts'
import { flattenNewlines } from '../flat-text.ts'
import { sayRung } from '../ladder/rungs.ts'
import { seenOf } from '../open-file.ts'
import { type FileChange, placeFiles } from '../place-files.ts'
import { encodeText } from '../text-form.ts'
import { largestEditedBytes, type Misfit } from './load-file.ts'
import { parsePatch } from './parse-patch.ts'
import { showDiff } from './show-diff.ts'
import { type Stage, type StagedFile, stageFile } from './stage-files.ts'

const mostFiles = 200

/** A change that is ready: every hunk of every file has its place. */
interface ReadyFile {
  readonly file: StagedFile
  readonly change: FileChange
}

/** Applies a patch over many files: as a whole, or not at all. */
export async function patchFiles(
  deps: ChangeDeps,
  text: string,
  order: Pick<ToolOrder, 'signal'>,
): Promise<ToolResult> {
  const parsed = parsePatch(text)
  if (!parsed.ok) return refuse('patch', `${parsed.says}. Nothing was changed`, ['edit_refused'])
  if (parsed.files.length > mostFiles) {
    return refuse('patch', `the patch is about ${parsed.files.length} files, more than ${mostFiles}`, ['edit_refused'])
  }
  const stage: Stage = new Map()
  const misfits: Misfit[] = []
  for (const patch of parsed.files) {
    const found = await stageFile(deps, stage, patch)
    if (found !== undefined) misfits.push(found)
  }
  if (misfits.length > 0) {
    const says = ['the patch does not fit, and nothing was changed:', ...misfits.map((each) => `- ${each.says}`)].join(
      '\n',
    )
    return refuse(
      'patch',
      says,
      misfits.map(({ counts }) => counts),
    )
  }
  const ready = [...stage.values()].flatMap(toReady)
  const tooLarge = ready.find(({ change }) => (change.after?.length ?? 0) > largestEditedBytes)
  if (tooLarge !== undefined)
    return refuse('patch', `${tooLarge.file.shown} would be larger than 8 MiB`, ['edit_refused'])
  if (ready.length === 0)
    return refuse('patch', 'the patch changes nothing: the files hold just this already', ['edit_refused'])
  if (order.signal.aborted) return refuse('patch', 'the worker was told to stop; nothing was written')
  const twins = await Promise.all(
    ready.map(({ change }) => (change.before === undefined ? warnOfTwins(deps.workspace, change.path) : undefined)),
  )
  // What goes comes last: a text that is moved is in its new place first.
  const placed = await placeFiles(
    ready.map(({ change }) => change).toSorted((a, b) => Number(a.after === undefined) - Number(b.after === undefined)),
  )
  if (!placed.ok) return refuse('patch', placed.says, ['edit_refused'])
  return describeDone(
    deps,
    ready,
    twins.filter((twin) => twin !== undefined),
  )
}

function toReady(file: StagedFile): readonly ReadyFile[] {
  const { path, shown, loaded, modeOf } = file
  const after = file.after === undefined ? undefined : 'text' in file.after ? encodeText(file.after) : file.after.bytes
  const same = after === undefined ? loaded === undefined : loaded?.bytes.equals(after) === true
  return same ? [] : [{ file, change: { path, shown, before: loaded?.stat, after, modeOf } }]
}

function describeDone(
  { register, maskKnown }: ChangeDeps,
  ready: readonly ReadyFile[],
  twins: readonly string[],
): ToolResult {
  const lines: string[] = []
  const warnings: string[] = [...twins]
  const counts: string[] = []
  for (const { file, change } of ready) {
    const { path, shown, loaded } = file
    if (change.after === undefined) {
      register.noteGone(path)
      if (file.done.includes('deleted')) lines.push(`deleted ${shown}`)
      continue
    }
    const text = change.after.toString('utf8')
    const before = loaded === undefined ? undefined : { hash: loaded.seen.hash, text: loaded.bytes.toString('utf8') }
    const notes = noteChange(register, { path, shown, seen: seenOf(change.after), text, what: 'part', before })
    const loose = [...new Set(file.rungs.filter((rung) => rung !== 'exact'))]
    lines.push(
      `${file.done.join(', ') || 'changed'}: ${shown}${loose.length === 0 ? '' : `, found ${loose.map(sayRung).join(' and ')}:`}`,
    )
    if (loose.length > 0 && before !== undefined)
      lines.push(showDiff(maskKnown(flattenNewlines(before.text)), maskKnown(flattenNewlines(text))))
    warnings.push(...notes.warnings)
    counts.push(...file.rungs.map((rung) => `edit_${rung}`), ...notes.counts)
  }
  const names = ready.map(({ file }) => file.shown)
  return {
    text: [...lines, ...warnings.map((warning) => `[warning: ${warning}]`)].join('\n'),
    summary: `patched ${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}`,
    outcome: 'ok',
    ...(counts.length === 0 ? {} : { counts }),
  }
}
