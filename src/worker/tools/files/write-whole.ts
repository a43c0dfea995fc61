import type { ToolArguments, ToolOrder, ToolResult } from '../tool.ts'
import { warnOfTwins } from './case-twins.ts'
import { noteChange } from './change-notes.ts'
import type { ChangeDeps } from './file-deps.ts'
import { refuse } from './file-result.ts'
import { resolveInside } from './inside-workspace.ts'
import { sayLostSecret, warnOfMask } from './lost-secret.ts'
import { readWhole, seenOf } from './open-file.ts'
import { type FileChange, placeFiles } from './place-files.ts'
import { findPlaceholder } from './suspect-text.ts'
import { sayChanged } from './unread.ts'
import { whyGuarded } from './write-guard.ts'

const largestBytes = 8 * 1024 * 1024
/** What is there may be larger than what may be written: it is only compared. */
const largestBefore = 64 * 1024 * 1024

/** What tool `write` does; loaded at its first use. */
export async function writeWhole(
  { workspace, register, maskKnown }: ChangeDeps,
  args: ToolArguments,
  { signal }: Pick<ToolOrder, 'signal'>,
): Promise<ToolResult> {
  const asked = String(args.path)
  const text = String(args.content)
  const inside = await resolveInside(workspace, asked)
  if (!inside.ok) return refuse('write', inside.says)
  const { path, shown } = inside
  const guarded = whyGuarded(asked, shown)
  if (guarded !== undefined) return refuse('write', guarded)
  const content = Buffer.from(text, 'utf8')
  if (content.byteLength > largestBytes) {
    return refuse('write', `the text has ${content.byteLength} bytes, more than ${largestBytes}`)
  }
  const opened = await readWhole(path, largestBefore)
  if (opened.kind === 'folder') return refuse('write', `${shown} is a folder, no file`)
  if (opened.kind === 'refused') return refuse('write', `${shown} ${opened.says}`)
  const before = opened.kind === 'missing' ? undefined : opened
  if (before !== undefined) {
    if (before.bytes.equals(content)) {
      register.noteWritten(path, before.seen, { over: before.seen.hash, what: 'whole' })
      return { text: `${shown} holds just this already`, summary: `write ${shown}: no change`, outcome: 'ok' }
    }
    const unread = before.bytes.length === 0 ? undefined : sayChanged(register, path, before.seen)
    if (unread !== undefined) return refuse('write', `${shown} ${unread}`, ['write_changed_since_read'])
  }
  const beforeText = before?.bytes.toString('utf8') ?? ''
  const placeholder = before === undefined ? undefined : findPlaceholder(text, beforeText)
  if (placeholder !== undefined) {
    return refuse(
      'write',
      `the line ${JSON.stringify(placeholder)} stands for text that you left out, and write replaces the whole file: send all of it, or use patch`,
      ['write_placeholder'],
    )
  }
  const lost = sayLostSecret(maskKnown, beforeText, text)
  if (lost !== undefined) return refuse('write', lost)
  if (signal.aborted) return refuse('write', 'the worker was told to stop; nothing was written')
  const twin = before === undefined ? await warnOfTwins(workspace, path) : undefined
  const change: FileChange = { path, shown, before: before?.stat, after: content }
  const placed = await placeFiles([change])
  if (!placed.ok) return refuse('write', placed.says)

  const notes = noteChange(register, {
    path,
    shown,
    seen: seenOf(content),
    text,
    what: 'whole',
    before: before === undefined ? undefined : { hash: before.seen.hash, text: beforeText },
  })
  const warnings = [
    ...notes.warnings,
    ...[twin, before === undefined ? warnOfMask(shown, text) : undefined].filter((each) => each !== undefined),
    ...((before?.stat.nlink ?? 1) > 1 ? [`${shown} had other names (hard links); those keep the old text`] : []),
  ]
  const done = `${before === undefined ? 'wrote new' : 'wrote'} ${shown}, ${content.byteLength} bytes`
  return {
    text: [done, ...warnings.map((warning) => `[warning: ${warning}]`)].join('\n'),
    summary: done,
    outcome: 'ok',
    ...(notes.counts.length === 0 ? {} : { counts: notes.counts }),
  }
}
