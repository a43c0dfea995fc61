import fs from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { nearestName } from '../../../kernel/index.ts'

const mostEntries = 5_000
const mostNamed = 3
const skipped = new Set(['.git', 'node_modules'])

/** `; did you mean src/a.ts?` for a path that leads to nothing: a name like it beside it, or the same name elsewhere. Empty where nothing is near. */
export async function suggestPaths(workspace: string, path: string): Promise<string> {
  const near = [...new Set([...(await besideIt(path)), ...(await elsewhere(workspace, basename(path)))])]
  const named = near.filter((found) => found !== path).slice(0, mostNamed)
  if (named.length === 0) return ''
  return `; did you mean ${named.map((found) => showFrom(workspace, found)).join(' or ')}?`
}

function showFrom(workspace: string, path: string): string {
  return path.startsWith(`${workspace}/`) ? relative(workspace, path) : path
}

async function besideIt(path: string): Promise<readonly string[]> {
  const names = await fs.promises.readdir(dirname(path)).catch(() => [])
  const name = basename(path)
  const near = names.find((each) => each.toLowerCase() === name.toLowerCase()) ?? nearestName(name, names)
  return near === undefined ? [] : [join(dirname(path), near)]
}

/** Breadth first, so that what lies high is found within the limit. Links are not followed. */
async function elsewhere(workspace: string, name: string): Promise<readonly string[]> {
  const found: string[] = []
  const folders = [workspace]
  let looked = 0
  for (const folder of folders) {
    const entries = await fs.promises.readdir(folder, { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      looked += 1
      if (entry.isDirectory() && !skipped.has(entry.name)) folders.push(join(folder, entry.name))
      if (entry.isFile() && entry.name === name) found.push(join(folder, entry.name))
    }
    if (looked > mostEntries || found.length >= mostNamed) break
  }
  return found
}
