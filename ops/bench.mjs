// `npm run bench [-- --json [ID…]]`: set-up, then the figures of bench/. Nothing but the JSON goes to standard output
// with --json.
import { root, runCommand } from './setup/run-command.mjs'
import { failWith, setUp } from './setup/set-up.mjs'

try {
  const args = process.argv.slice(2)
  const say = args.includes('--json') ? (line) => console.error(line) : (line) => console.log(line)
  await setUp({ purpose: 'bench', args, say })
  const { build } = await import('esbuild') // there only after set-up
  const outfile = `${root}.cache/bench.mjs`
  await build({
    absWorkingDir: root,
    entryPoints: ['bench/main.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    loader: { '.sql': 'text' },
    define: { __CRASH_POINTS__: 'false', __VERSION__: '"bench"' },
    logLevel: 'warning',
  })
  process.exitCode = await runCommand([process.execPath, outfile, ...args.filter((arg) => arg !== '--yes')])
} catch (error) {
  failWith(error)
}
