import fs from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'

/**
 * A warning for a new path of which a part differs from a name that is there in its case only: on the disks of macOS and
 * Windows both are one file. Undefined where there is none.
 */
export async function warnOfTwins(workspace: string, path: string): Promise<string | undefined> {
  for (let at = path; at.startsWith(`${workspace}/`); at = dirname(at)) {
    const names = await fs.promises.readdir(dirname(at)).catch((): string[] => [])
    const name = basename(at)
    if (names.includes(name)) return undefined
    const twin = names.find((each) => each.toLowerCase() === name.toLowerCase())
    if (twin !== undefined) {
      const shown = relative(workspace, join(dirname(at), twin))
      return `${shown} is there already and differs in upper and lower case only; did you mean that one?`
    }
  }
  return undefined
}
