// How `npm run bench` and `npm run torture` start: set-up, then a TypeScript program of the checkout as one bundle.
import { root, runCommand } from './run-command.mjs'
import { setUp } from './set-up.mjs'

/** Resolves to its exit code; `ready` is called just before it starts. Nothing but the JSON goes to standard output with --json. */
export async function runBundled({ name, entry, purpose, crashPoints, args, passed = args, ready = () => {} }) {
  const say = args.includes('--json') ? (line) => console.error(line) : (line) => console.log(line)
  await setUp({ purpose, args, say })
  const { build } = await import('esbuild') // there only after set-up
  const outfile = `${root}.cache/${name}.mjs`
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    loader: { '.sql': 'text' },
    define: { __CRASH_POINTS__: String(crashPoints), __VERSION__: JSON.stringify(name) },
    logLevel: 'warning',
  })
  ready()
  return runCommand([process.execPath, outfile, ...passed])
}
