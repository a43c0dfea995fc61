// `npm run torture [-- --times N]`: every named crash point N times (5), and the random kills, on the built product.
import { runCommand } from './setup/run-command.mjs'
import { failWith, setUp } from './setup/set-up.mjs'

try {
  const args = process.argv.slice(2)
  await setUp({ purpose: 'test', args })
  const at = args.indexOf('--times')
  const times = at === -1 ? 5 : Number(args[at + 1])
  if (!Number.isInteger(times) || times < 1) throw new Error(`--times wants a whole number from 1, not ${args[at + 1]}`)
  const env = { YARDMASTER_TORTURE_TIMES: String(times) }
  process.exitCode = await runCommand(['npx', 'vitest', 'run', 'tests/house/torture'], { env })
} catch (error) {
  failWith(error)
}
