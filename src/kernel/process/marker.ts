import { readdirSync, readFileSync, statSync } from 'node:fs'
import { formatRunId, type RunId } from '../index.ts'

/** The variable by which a worker and all that it starts carry the mark of their run. It gives no rights. */
export const markerVariable = 'YARDMASTER_MARKER'

/** `yard:R981:nonce`. The nonce keeps two yards on one machine apart. */
export function formatMarker(run: RunId, nonce: string): string {
  return `yard:${formatRunId(run)}:${nonce}`
}

/** A yard inside a worker of another yard: its workers belong to both trees, so the list grows. */
export function appendMarker(outer: string | undefined, marker: string): string {
  return outer === undefined || outer === '' ? marker : `${outer} ${marker}`
}

/** The markers in a process's environment; none when it has none, is gone, or may not be looked at. */
export function readMarkers(pid: number): readonly string[] {
  const environ = readEnviron(`/proc/${pid}/environ`) || readEnvironOfThread(pid)
  const value = markerPattern.exec(environ)?.[1]
  return value === undefined ? [] : value.split(' ')
}

/** Whether a process runs as this user, as far as /proc says; one that is gone does not. */
export function isOfThisUser(pid: number): boolean {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === process.geteuid?.()
}

const markerPattern = /(?:^|\0)YARDMASTER_MARKER=([^\0]*)/

/** The leader may have ended while other threads go on: then its own file is empty and theirs is not. */
function readEnvironOfThread(pid: number): string {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const environ = thread === String(pid) ? '' : readEnviron(`/proc/${pid}/task/${thread}/environ`)
      if (environ !== '') return environ
    }
  } catch {
    // gone meanwhile
  }
  return ''
}

function readEnviron(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return '' // gone, or of another user: the marker of such a process cannot be known
  }
}
