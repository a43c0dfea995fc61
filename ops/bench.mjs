// `npm run bench [-- --json [ID…]]`: set-up, then the figures of bench/. Nothing but the JSON goes to standard output
// with --json.
import { runBundled } from './setup/run-bundled.mjs'
import { failWith } from './setup/set-up.mjs'

try {
  const args = process.argv.slice(2)
  const passed = args.filter((arg) => arg !== '--yes')
  const figures = { name: 'bench', entry: 'bench/main.ts', purpose: 'bench', crashPoints: false }
  process.exitCode = await runBundled({ ...figures, args, passed })
} catch (error) {
  failWith(error)
}
