// `npm run torture [-- --seconds N] [--seed S] [--json] …`: set-up, then the fault suite of tests/house/torture on the
// build with crash points. Nothing but the JSON goes to standard output with --json.
import { runBundled } from './setup/run-bundled.mjs'
import { signalRunning } from './setup/run-command.mjs'
import { failWith } from './setup/set-up.mjs'

try {
  const suite = { name: 'torture', entry: 'tests/house/torture/main.ts', purpose: 'start', crashPoints: true }
  process.exitCode = await runBundled({ ...suite, args: process.argv.slice(2), ready: hearSignals })
} catch (error) {
  failWith(error)
}

/** A suite that is told to stop leaves nothing behind; so the signal must reach it. */
function hearSignals() {
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => signalRunning(signal))
}
