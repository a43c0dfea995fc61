import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'

/** The one name of a place: links followed, no `..`, no closing slash. What is not there yet keeps the name it was given. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path) // missing, or behind a folder that is closed to us
  }
}
