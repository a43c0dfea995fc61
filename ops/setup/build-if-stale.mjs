// Builds dist/ and dist-test/ when a source is newer than they are, or another release of Node has built them: what V8 has
// made of the worker is of use to its own release alone.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root, runCommand } from './run-command.mjs'

const sources = ['src', 'ops/build.mjs', 'ops/keep-compiled.mjs', 'package.json']
/** What ops/build.mjs writes at its end: the release of Node that it ran on. */
export const builtBy = join('.cache', 'built-by')
/** Files that a finished build leaves. */
export const products = ['dist', 'dist-test'].flatMap((dir) =>
  ['bin.cjs', 'cli.mjs', 'worker.cjs'].map((f) => join(dir, f)),
)

/** True when a product is missing, older than the newest source below `folder`, or not made by this Node. */
export function isStale(folder = root) {
  if (readIfThere(join(folder, builtBy)) !== process.version) return true
  const built = products.map((file) => statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0)
  return Math.min(...built) < Math.max(...sources.map((path) => newestMs(join(folder, path))))
}

/** Builds unless it is done already. Throws with what to do when it fails. */
export async function buildIfStale({ say }) {
  if (!isStale()) return say('build: up to date')
  say('build: dist/ and dist-test/')
  const code = await runCommand([process.execPath, 'ops/build.mjs'])
  if (code !== 0) throw new Error(`the build ended with ${code}. Mend what it says above, then: npm run build`)
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined // never built
  }
}

function newestMs(path) {
  const found = statSync(path)
  if (!found.isDirectory()) return found.mtimeMs
  return Math.max(found.mtimeMs, ...readdirSync(path).map((name) => newestMs(join(path, name))))
}
