// `npm run torture [-- --seconds N] [--seed S] [--json] …`: set-up, then the fault suite of tests/house/torture on the
// build with crash points. Nothing but the JSON goes to standard output with --json.
import { root, runCommand, signalRunning } from './setup/run-command.mjs'
import { failWith, setUp } from './setup/set-up.mjs'

try {
  const args = process.argv.slice(2)
  const say = args.includes('--json') ? (line) => console.error(line) : (line) => console.log(line)
  await setUp({ purpose: 'start', args, say })
  const { build } = await import('esbuild') // there only after set-up
  const outfile = `${root}.cache/torture.mjs`
  await build({
    absWorkingDir: root,
    entryPoints: ['tests/house/torture/main.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    loader: { '.sql': 'text' },
    define: { __CRASH_POINTS__: 'true', __VERSION__: '"torture"' },
    logLevel: 'warning',
  })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => signalRunning(signal))
  process.exitCode = await runCommand([process.execPath, outfile, ...args])
} catch (error) {
  failWith(error)
}
