import { basename, resolve } from 'node:path'
import { describeSize, makeFileName, mostAttachmentBytes, sayNameFault } from '../../kernel/index.ts'
import { findMediaType } from './media-type.ts'
import { type FileFault, storeFile } from './store-file.ts'

/** A file that an attempt says it has made. */
export interface DeclaredArtifact {
  /** Absolute, or from the folder that it works in. */
  readonly path: string
  /** What it is to be called; its own name without one. */
  readonly name?: string | null
}

export interface StoredArtifact {
  /** Unique among those of one declaration. */
  readonly name: string
  readonly mediaType: string
  readonly bytes: number
  readonly sha256: string
}

export interface BadArtifact {
  /** As it was declared. */
  readonly path: string
  readonly why: FileFault | 'bad_name'
}

export interface CollectedArtifacts {
  readonly stored: readonly StoredArtifact[]
  readonly bad: readonly BadArtifact[]
}

/** Of one attempt, whatever way they come. */
export const mostArtifacts = 100

/**
 * Puts what an attempt says it has made into the store of the home, one after the other: each a file with something in it, of at
 * most 25 MiB, which really lies in its folder or its run directory. What cannot be taken is named with the reason and keeps none
 * of the others (C53, C92). Changes nothing but the store, where a file that nobody comes to own goes with the next sweep.
 */
export async function collectArtifacts(
  { home }: { readonly home: string },
  asked: {
    readonly runDir: string
    readonly folder: string
    readonly artifacts: readonly DeclaredArtifact[]
  },
): Promise<CollectedArtifacts> {
  const { runDir, folder, artifacts } = asked
  const stored: StoredArtifact[] = []
  const bad: BadArtifact[] = []
  for (const { path, name } of artifacts) {
    const called = name ?? makeFileName(basename(path))
    if (sayNameFault(called) !== undefined) {
      bad.push({ path, why: 'bad_name' })
      continue
    }
    const file = { path: resolve(folder, path), within: [folder, runDir], mostBytes: mostAttachmentBytes }
    const answer = await storeFile(home, file)
    if (!answer.ok) bad.push({ path, why: answer.why })
    else if (!stored.some((one) => one.name === called && one.sha256 === answer.sha256)) {
      const unique = uniqueName(called, stored)
      stored.push({ name: unique, mediaType: findMediaType(unique), bytes: answer.bytes, sha256: answer.sha256 })
    }
  }
  return { stored, bad }
}

/** One line for people and for the next attempt: `artifact missing: "shot.png"; artifact too large: …`. At most five are named. */
export function sayBadArtifacts(bad: readonly BadArtifact[]): string {
  const shown = bad.slice(0, 5).map(({ path, why }) => `artifact ${words[why]}: ${JSON.stringify(path.slice(0, 200))}`)
  const more = bad.length > shown.length ? [`${bad.length - shown.length} more`] : []
  return [...shown, ...more].join('; ')
}

const words: Readonly<Record<BadArtifact['why'], string>> = {
  missing: 'missing',
  empty: 'empty',
  outside: 'outside of the folder of the task and of the directory of the attempt',
  too_large: `too large (more than ${describeSize(mostAttachmentBytes)})`,
  not_a_file: 'that is no regular file',
  unreadable: 'that cannot be read',
  short: 'for which there was no room on the disk',
  bad_name: 'with a name that no file can have',
}

/** `report.html` of three folders: `report.html`, `report-2.html`, `report-3.html`. */
function uniqueName(name: string, taken: readonly StoredArtifact[]): string {
  const dot = name.lastIndexOf('.')
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  let unique = name
  for (let n = 2; taken.some((one) => one.name === unique); n += 1) unique = `${stem}-${n}${ending}`
  return unique
}
