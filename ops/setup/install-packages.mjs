// Brings node_modules to what the lock file says, once: a stamp inside node_modules names the lock and the Node it was
// made for, and goes away with it.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, runCommand } from './run-command.mjs'
import { ensureSystemPackages, findMissing } from './system-packages.mjs'

/** What node_modules must be for: this lock file, this Node's binary interface, this kind of machine. */
export function wantedStamp(folder = root) {
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
  return `${lock} node-abi-${process.versions.modules} ${process.platform}-${process.arch}\n`
}

/** True when `folder/node_modules` was installed for this lock and this Node. */
export function isInstalled(folder = root) {
  try {
    return readFileSync(stampFile(folder), 'utf8') === wantedStamp(folder)
  } catch {
    return false // no node_modules, or an install that did not finish
  }
}

/** Runs `npm ci` unless it is done already. Throws with what to do when it fails. */
export async function installPackages({ install, say }) {
  if (isInstalled()) return say('packages: up to date')
  await ensureSystemPackages('install', { install, say })
  say('packages: npm ci (better-sqlite3 may be compiled, which takes a minute or two)')
  const code = await runCommand(['npm', 'ci', '--no-audit', '--no-fund'], { env: compilerCache() })
  if (code !== 0) {
    throw new Error(
      `npm ci ended with ${code}. Read its message above; a compiler may be missing: apt-get install g++ make python3`,
    )
  }
  writeFileSync(stampFile(root), wantedStamp())
}

/** ccache in front of the compiler, where it is there and nobody has chosen a compiler already. */
export function compilerCache() {
  const ready = findMissing([{ program: 'ccache' }], process.env.PATH ?? '').length === 0
  return ready && process.env.CXX === undefined ? { CC: 'ccache cc', CXX: 'ccache c++' } : {}
}

const stampFile = (folder) => join(folder, 'node_modules', '.yardmaster-installed')
