// Builds dist/ (what is released) and dist-test/ (the same with crash points). The worker is CommonJS in one small file,
// because that starts fastest on Node 20 and `chat -q` is started once per card. The command line is made of modules
// that share parts, so that a verb which needs no hub does not parse one (measured: 0.26 s of CPU to 0.17 s for `list`).
import { spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { builtBy } from './setup/build-if-stale.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))

/** What `chat -q` loads only when it needs it, by an `import()` of its sources. In its main file V8 would parse all of it at every start. */
function workerLater() {
  const sources = readdirSync(`${root}src/worker`, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  )
  const found = sources.flatMap((path) => {
    const text = readFileSync(`${root}src/worker/${path}`, 'utf8')
    return [...text.matchAll(/\bimport\('(\.[^']+\.ts)'\)/g)].map(([, to]) => join('src/worker', dirname(path), to))
  })
  const later = Object.fromEntries(found.map((path) => [`worker-${basename(path, '.ts')}`, path]))
  const names = Object.keys(later).length
  if (names !== new Set(found).size)
    throw new Error(`two files that are loaded later have one name: ${found.join(' ')}`)
  return later
}

const loadLater = {
  name: 'load-later',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path: `./worker-${basename(path, '.ts')}.cjs`, external: true } : undefined,
    )
  },
}

/**
 * The worker sends its calls by the client of the SDK alone (src/worker/provider/open-stream.ts): the hundred classes of
 * its interfaces are left empty. They were two fifths of what V8 parsed at each start (measured: 63 to 56 ms of CPU to
 * the first byte). A release of the SDK with another layout does not build.
 */
const leaveOutInterfaces = {
  name: 'leave-out-interfaces',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules[\\/]openai[\\/]resources[\\/].*\.m?js$/ }, ({ path }) => {
      const names = [...readFileSync(path, 'utf8').matchAll(/^export class (\w+)/gm)].map(([, name]) => name)
      if (names.length === 0) return undefined // it passes names on
      return { contents: names.map((name) => `export class ${name} {}`).join('\n') }
    })
  },
}

/** Builds beside the folder and puts it in its place at the end: a build that fails leaves the last good one. */
async function buildInto(folder, { crashPoints }) {
  const outdir = `.cache/${folder}.${process.pid}` // two builds at once do not meet
  rmSync(`${root}${outdir}`, { recursive: true, force: true })
  const shared = {
    absWorkingDir: root,
    outdir,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    external: ['better-sqlite3', 'koffi', './worker.cjs', './cli.mjs'],
    loader: { '.sql': 'text', '.service': 'text' },
    define: { __CRASH_POINTS__: String(crashPoints), __VERSION__: JSON.stringify(version) },
    legalComments: 'none',
    logLevel: 'warning',
  }
  await Promise.all([
    build({ ...shared, entryPoints: ['src/bin.ts'], banner: { js: '#!/usr/bin/env node' } }),
    build({
      ...shared,
      entryPoints: { worker: 'src/worker/main.ts', ...workerLater() },
      minify: true,
      plugins: [loadLater, leaveOutInterfaces],
      logOverride: { 'import-is-undefined': 'error' },
      supported: { 'dynamic-import': false }, // as `require`: the loader of modules is slow to start
    }),
    build({
      ...shared,
      entryPoints: { cli: 'src/cli/main.ts' },
      format: 'esm',
      splitting: true,
      outExtension: { '.js': '.mjs' },
      // What fastify, pino and yaml `require` of Node itself; modules have no such function of their own. Under a name
      // of ours, because a package in the same module may import `createRequire` too.
      banner: {
        js: "import { createRequire as yardRequire } from 'node:module'; const require = yardRequire(import.meta.url);",
      },
      minifyWhitespace: true,
      minifySyntax: true,
    }),
  ])
  chmodSync(`${root}${outdir}/bin.cjs`, 0o755)
  await keepCompiled(outdir, shared)
  rmSync(`${root}${folder}`, { recursive: true, force: true })
  renameSync(`${root}${outdir}`, `${root}${folder}`)
}

/** Nobody is asked: the worker is ended where it would connect. In an environment of its own, so that no option of Node counts. */
async function keepCompiled(outdir, shared) {
  await build({ ...shared, entryPoints: ['ops/keep-compiled.mjs'] })
  const keeper = `${root}${outdir}/keep-compiled.cjs`
  const chat = ['chat', '-q', 'hi', '--model', 'm', '--no-key', '--base-url', 'http://127.0.0.1:9/v1']
  const args = [keeper, `${root}${outdir}`, ...chat]
  const { status, stderr } = spawnSync(process.execPath, args, { env: {}, encoding: 'utf8' })
  rmSync(keeper)
  if (status !== 0) throw new Error(`the worker that was built does not start:\n${stderr}`)
}

await Promise.all([buildInto('dist', { crashPoints: false }), buildInto('dist-test', { crashPoints: true })])
writeFileSync(`${root}${builtBy}`, process.version)
