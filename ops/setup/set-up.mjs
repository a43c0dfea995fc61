// What `npm start`, `npm test` and `npm run bench` do first on any checkout. A second run finds it done.
import { buildIfStale } from './build-if-stale.mjs'
import { installPackages } from './install-packages.mjs'
import { ensureSystemPackages } from './system-packages.mjs'

const leastNode = [20, 19]

/** Installs, builds, and looks for the system packages of `purpose`. Answers those that stay missing. */
export async function setUp({ purpose, args, say = (line) => console.log(line) }) {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < leastNode[0] || (major === leastNode[0] && minor < leastNode[1])) {
    throw new Error(`Node ${process.versions.node} is too old; install Node ${leastNode.join('.')} or newer`)
  }
  const install = args.includes('--yes') || process.env.CI === 'true' ? 'allowed' : 'ask'
  await installPackages({ install, say })
  await buildIfStale({ say })
  return purpose === 'start' ? [] : ensureSystemPackages(purpose, { install, say })
}

/** Ends a script with one red line instead of a stack when set-up or a step has failed. */
export function failWith(error) {
  console.error(`✖ ${error instanceof Error ? error.message : error}`)
  process.exit(1)
}
