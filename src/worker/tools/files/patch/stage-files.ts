import type { Stats } from 'node:fs'
import type { ChangeDeps } from '../file-deps.ts'
import { flattenText } from '../flat-text.ts'
import { splitLines } from '../ladder/line-text.ts'
import type { Rung } from '../ladder/rungs.ts'
import { sayLostSecret } from '../lost-secret.ts'
import { findPlaceholder } from '../suspect-text.ts'
import type { TextForm } from '../text-form.ts'
import { editableText, findPlace, isMisfit, type LoadedFile, loadFile, type Misfit, misfit } from './load-file.ts'
import type { FilePatch } from './parse-patch.ts'
import { placeHunks } from './place-hunks.ts'

/** A file as it will be. What is on the disk is not touched before all are staged. */
export interface StagedFile {
  readonly path: string
  readonly shown: string
  /** How it is on the disk; undefined: not there. */
  readonly loaded: LoadedFile | undefined
  /** Undefined: it is to go. `bytes`: moved as it is. */
  after: TextForm | { readonly bytes: Buffer } | undefined
  /** What a moved file keeps. */
  modeOf: Stats | undefined
  readonly rungs: Rung[]
  readonly done: string[]
}

export type Stage = Map<string, StagedFile>

/** Works one file of a patch into the stage, on top of what the patch has done to it before. */
export async function stageFile(deps: ChangeDeps, stage: Stage, patch: FilePatch): Promise<Misfit | undefined> {
  const staged = await openStaged(deps, stage, patch.path)
  if (isMisfit(staged)) return staged
  const { file } = staged
  switch (patch.kind) {
    case 'add':
      if (file.after !== undefined) return misfit(`${file.shown} is there already: use *** Update File: for it`)
      file.after = { text: patch.lines.map((line) => `${line}\n`).join(''), byteOrderMark: '' }
      file.done.push('added')
      return undefined
    case 'delete':
      if (file.after === undefined) return misfit(staged.missing)
      file.after = undefined
      file.done.push('deleted')
      return undefined
    case 'update':
      if (file.after === undefined) return misfit(staged.missing)
      return updateStaged(deps, file, patch) ?? (await moveStaged(deps, stage, file, patch.moveTo))
  }
}

async function openStaged(
  deps: ChangeDeps,
  stage: Stage,
  asked: string,
): Promise<{ readonly file: StagedFile; readonly missing: string } | Misfit> {
  const place = await findPlace(deps, asked)
  if (isMisfit(place)) return place
  const known = stage.get(place.path)
  if (known !== undefined)
    return { file: known, missing: `${place.shown} is not there any more at this point of the patch` }
  const found = await loadFile(deps, place)
  if (isMisfit(found)) return found
  const loaded = found.kind === 'file' ? found : undefined
  const { path, shown } = place
  const file: StagedFile = {
    path,
    shown,
    loaded,
    after: loaded === undefined ? undefined : { bytes: loaded.bytes },
    modeOf: undefined,
    rungs: [],
    done: [],
  }
  stage.set(path, file)
  return { file, missing: found.kind === 'missing' ? found.says : `${shown} is not there` }
}

function updateStaged(
  deps: ChangeDeps,
  file: StagedFile,
  { hunks }: Extract<FilePatch, { kind: 'update' }>,
): Misfit | undefined {
  if (hunks.length === 0 || file.after === undefined) return undefined
  const form = formOf(deps, file, file.after)
  if (isMisfit(form)) return form
  const { flat, fill } = flattenText(form.text)
  const added = hunks.flatMap(({ rows }) => rows.flatMap(({ kind, text }) => (kind === 'comes' ? [text] : [])))
  const placeholder = findPlaceholder(added.join('\n'), flat)
  if (placeholder !== undefined) {
    return misfit(
      `${file.shown}: the line ${JSON.stringify(placeholder)} stands for text that you left out; send all of it`,
    )
  }
  const placed = placeHunks(splitLines(flat), hunks, deps.maskKnown)
  if (placed.kind === 'misfit') {
    deps.register.noteMisfit(file.path)
    return misfit(`${file.shown}: ${placed.says}`, placed.counts)
  }
  const text = fill(placed.hunks.map(({ place }) => place))
  const lost = sayLostSecret(deps.maskKnown, form.text, text)
  if (lost !== undefined) return misfit(`${file.shown}: ${lost}`)
  file.after = { ...form, text }
  file.rungs.push(...placed.hunks.map(({ rung }) => rung))
  file.done.push('updated')
  return undefined
}

function formOf(deps: ChangeDeps, file: StagedFile, after: NonNullable<StagedFile['after']>): TextForm | Misfit {
  return 'text' in after ? after : editableText(deps, { ...file, bytes: after.bytes })
}

async function moveStaged(
  deps: ChangeDeps,
  stage: Stage,
  file: StagedFile,
  moveTo: string | undefined,
): Promise<Misfit | undefined> {
  if (moveTo === undefined) return undefined
  if (moveTo === '') return misfit(`*** Move to: of ${file.shown} names no file`)
  const target = await openStaged(deps, stage, moveTo)
  if (isMisfit(target)) return target
  if (target.file === file) return undefined
  if (target.file.after !== undefined)
    return misfit(`${target.file.shown} is there already, so ${file.shown} cannot be moved to it`)
  target.file.after = file.after
  target.file.modeOf = file.loaded?.stat ?? file.modeOf
  target.file.rungs.push(...file.rungs.splice(0))
  target.file.done.push(`moved from ${file.shown}`)
  file.after = undefined
  return undefined
}
