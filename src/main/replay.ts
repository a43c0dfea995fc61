import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { chatSettingsFile, parseChatSettings, transcriptFile } from '../runs/index.ts'
import { type Replay, readReplay } from '../worker/index.ts'

/** A recorded run, or why there is no record of it. */
export type FoundReplay =
  | { readonly kind: 'replay'; readonly replay: Replay }
  /** off: its lane keeps none. not_chat: it asked no model. nothing_yet: it never came as far as to begin one. */
  | { readonly kind: 'none'; readonly why: 'off' | 'not_chat' | 'nothing_yet' }

/** The transcript in a run directory. Throws `WORKER_TRANSCRIPT_NOT_READ` for one that cannot be read at all. */
export function findReplay(runDir: string): FoundReplay {
  const file = join(runDir, transcriptFile)
  if (isThere(file)) return { kind: 'replay', replay: readReplay(file) }
  const settings = readText(join(runDir, chatSettingsFile))
  if (settings === undefined) return { kind: 'none', why: 'not_chat' }
  const parsed = parseChatSettings(settings)
  return { kind: 'none', why: parsed.ok && parsed.settings.transcript === 'off' ? 'off' : 'nothing_yet' }
}

const isThere = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined // only an attempt of our agent has one
  }
}
