// The gates of `npm run check`, as data: what each runs, and the command or edit that mends it when it is red.
export const gates = [
  { name: 'format', argv: ['npx', 'biome', 'format', '.'], mend: 'npm run format' },
  {
    name: 'lint',
    argv: ['npx', 'biome', 'lint', '.'],
    mend: 'npx biome lint --write .  (what stays red is mended by hand)',
  },
  { name: 'types', argv: ['npx', 'tsc', '-p', '.'], mend: 'edit the lines above; look again with: npx tsc -p .' },
  {
    name: 'dead code',
    argv: ['npx', 'knip'],
    mend: 'remove what is listed above, or use it; look again with: npx knip',
  },
  { name: 'architecture', tests: ['tests/house/architecture'], mend: 'each failing test says what to do instead' },
  {
    name: 'docs',
    tests: ['tests/house/docs'],
    mend: 'npm run docs writes the generated pages; the rest is edited by hand',
  },
  {
    name: 'tests',
    tests: ['tests'],
    but: ['tests/house/architecture/**', 'tests/house/docs/**'],
    mend: 'the lines above name each test and how to run it alone',
  },
]

/** Where the runner of each gate with tests leaves its JSON report. */
export const reportFolder = '.cache/test-reports'

/** The report file of one gate, relative to the root. */
export const reportFile = ({ name }) => `${reportFolder}/${name.replaceAll(' ', '-')}.json`

/** The command line of a gate. */
export function gateCommand(gate) {
  if (gate.argv !== undefined) return gate.argv
  const excluded = (gate.but ?? []).map((pattern) => `--exclude=${pattern}`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile(gate)}`]
  return ['npx', 'vitest', 'run', ...gate.tests, ...excluded, ...reporters]
}
