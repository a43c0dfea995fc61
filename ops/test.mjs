// `npm test`: set-up, then every gate of `npm run check`. `--tests-only` leaves out the gates that look at the sources
// as text (they say the same on every Node).
import { check } from './check.mjs'
import { gates } from './gates.mjs'
import { failWith, setUp } from './setup/set-up.mjs'

try {
  const args = process.argv.slice(2)
  const missing = (await setUp({ purpose: 'test', args })).filter(({ optional }) => !optional)
  if (missing.length > 0) throw new Error(`the tests need ${missing.map(({ debian }) => debian).join(' ')}; see above`)
  const names = args.includes('--tests-only')
    ? gates.filter(({ tests }) => tests !== undefined).map(({ name }) => name)
    : []
  process.exitCode = (await check(names)).length === 0 ? 0 : 1
} catch (error) {
  failWith(error)
}
