import { basename } from 'node:path'
import { readDeclaredNames, readImports, readUses, type Source } from './read-sources.ts'

/** A rule of the house: what it finds in one file, and what to do about it. */
export interface HouseRule {
  readonly name: string
  readonly find: (source: Source) => readonly string[]
  readonly mend: string
}

/** What each rule finds in `sources`, one sentence each, ending with what to do. */
export function findBreaches(rule: HouseRule, sources: readonly Source[]): readonly string[] {
  return sources.flatMap((source) => rule.find(source).map((found) => `${source.path}: ${found}. ${rule.mend}`))
}

const entryFiles = ['main.ts', 'bin.ts', 'cli/main.ts', 'worker/main.ts']
const isEntry = ({ path }: Source) => entryFiles.includes(path)

/** Files besides that may hear a signal of their own, each with its reason. */
const mayUseProcess: ReadonlyMap<string, string> = new Map([
  ['kernel/process/child-reaper.ts', 'hears SIGCHLD: Node waits only for children that it started itself'],
])
const isKernel = ({ path }: Source) => path.startsWith('kernel/')

/** Words that are not ours (docs/glossary.md), with the word to take. */
const bannedWords: ReadonlyMap<string, string> = new Map([
  ['job', 'task'],
  ['ticket', 'task'],
  ['item', 'task, row or entry'],
  ['execution', 'run'],
  ['session', 'run or worker'],
])

/** Names that others chose, with who. */
const givenNames: ReadonlyMap<string, string> = new Map([
  ['items', 'JSON Schema'],
  ['minItems', 'JSON Schema'],
  ['maxItems', 'JSON Schema'],
])

const ownProcess = ['process.env', 'process.argv', 'process.cwd', 'process.exit', 'process.exitCode', 'process.on']
const timeAndChance = [
  'Date.now',
  'new Date()',
  'performance.now',
  'process.hrtime',
  'Math.random',
  'setTimeout()',
  'setInterval()',
]

/** Files that may send a signal besides the signal module, each with its reason. */
const mayKill: ReadonlyMap<string, string> = new Map([['kernel/crash-points.ts', 'kills only itself, in test builds']])
const signalModule = /^kernel\/process\/signal[a-z-]*\.ts$/

/** Files that may start a process, each with what it starts. */
const maySpawn: ReadonlyMap<string, string> = new Map([
  ['dispatcher/supervisor/spawn-shim.ts', 'workers'],
  [
    'dispatcher/lanes/self-test.ts',
    'something trivial in each lane, once, to see whether it could start a worker (C177)',
  ],
  ['dispatcher/supervisor/containers.ts', 'the client of a container engine, to remove what dead runs have left in it'],
  ['cli/card/open-editor.ts', "the person's own editor"],
  ['cli/diff/page-diff.ts', "the person's own pager"],
  ['cli/up/start-detached.ts', 'this program again, as a hub in the background'],
])
/** Files that start a process, each with where its environment comes from. */
const environmentFrom: ReadonlyMap<string, string> = new Map([
  ['dispatcher/supervisor/spawn-shim.ts', 'build-launch.ts: buildChildEnvironment'],
  ['dispatcher/supervisor/containers.ts', 'pickVariables'],
  ['dispatcher/lanes/self-test.ts', 'lane-checks.ts: buildChildEnvironment'],
  ['workspaces/git.ts', 'git-environment.ts: pickVariables'],
  ['workspaces/apply-check.ts', 'buildChildEnvironment'],
  ['worker/tools/terminal/running-command.ts', 'command-environment.ts: buildChildEnvironment'],
  ['worker/tools/terminal/output/open-pipe.ts', 'command-environment.ts: buildChildEnvironment'],
  ['worker/tools/terminal/sandbox/open-sandbox.ts', 'command-environment.ts: buildChildEnvironment'],
  ['worker/tools/files/search/start-finder.ts', 'command-environment.ts: buildChildEnvironment'],
  ['kernel/config/secret.ts', "all of the hub's: the operator's own program, which needs its login"],
  ['cli/batch-file/list-files.ts', "the person's own: their git, in their shell"],
  ['cli/card/open-editor.ts', "the person's own: their editor"],
  ['cli/diff/page-diff.ts', "the person's own: their pager"],
  ['cli/up/start-detached.ts', "the person's own: the hub takes secrets from it by reference"],
  ['main/doctor/check-service.ts', 'none given: it asks the service manager of the person'],
])
const startsProcess = (name: string) => name === 'node:child_process' || name === 'execa'

const drivers = /^board\/sqlite\/|^kernel\/process\/[a-z-]*lock[a-z-]*\.ts$/

/** Files over 300 lines, each with the reason why it is still one idea. */
export const longFiles: Readonly<Record<string, string>> = {}

export const houseRules: readonly HouseRule[] = [
  {
    name: 'one word per thing: names use the words of docs/glossary.md',
    find: (source) =>
      readDeclaredNames(source)
        .filter((name) => !givenNames.has(name))
        .flatMap((name) => {
          const word = wordsOf(name).find((each) => bannedWords.has(each))
          return word === undefined ? [] : [`the name ${name} says "${word}"; our word is ${bannedWords.get(word)}`]
        }),
    mend: 'Rename it, or add it to givenNames with its reason',
  },
  {
    name: 'only entry files read or change the program they run in',
    find: (source) =>
      isEntry(source) || mayUseProcess.has(source.path)
        ? []
        : readUses(source).filter((use) => ownProcess.includes(use)),
    mend: 'Take it as a parameter and hand it in from the entry file',
  },
  {
    name: 'time and chance are handed in: only the kernel has the clock',
    find: (source) => (isKernel(source) ? [] : readUses(source).filter((use) => timeAndChance.includes(use))),
    mend: 'Use the Clock or Random that was handed in',
  },
  {
    name: 'only the store and the lock file know the database driver',
    find: (source) =>
      drivers.test(source.path) ? [] : readImports(source).filter((name) => name === 'better-sqlite3'),
    mend: 'Ask the Board',
  },
  {
    name: 'only the signal module sends signals',
    find: (source) =>
      signalModule.test(source.path) || mayKill.has(source.path)
        ? []
        : readUses(source).filter((use) => use === 'process.kill' || use === 'child.kill'),
    mend: 'Send it through kernel/process, which proves whom it hits and records the answer',
  },
  {
    name: 'one file starts workers',
    find: (source) =>
      maySpawn.has(source.path) ? [] : readImports(source).filter((name) => name === 'node:child_process'),
    mend: 'Start workers through the supervisor; anything else is named in maySpawn with its reason',
  },
  {
    name: 'one builder makes every environment',
    find: (source) => (environmentFrom.has(source.path) ? [] : readImports(source).filter(startsProcess)),
    mend: 'Make its environment with kernel/process (buildChildEnvironment, pickVariables), and say in environmentFrom where',
  },
  {
    name: 'folders are made by the kernel: the recursion of Node hangs where nothing can be made, as in /proc',
    find: ({ text }) => (/\bmkdir(Sync)?\([^)]*\brecursive\b/.test(text) ? ['mkdir with recursive'] : []),
    mend: 'Use makeFolder',
  },
  {
    name: 'doors list their names one by one',
    find: ({ text }) => (/^export \* from/m.test(text) ? ['export *'] : []),
    mend: 'List the names, so that a reader sees what is public',
  },
  {
    name: 'no drawers: a file is named for what it does',
    find: ({ path }) => {
      const banned = ['utils', 'util', 'helpers', 'helper', 'common', 'types', 'interfaces', 'misc', 'shared']
      return path.split('/').some((part) => banned.includes(basename(part, '.ts'))) ? ['is a drawer'] : []
    },
    mend: 'Put each thing in a file named for it, beside what makes it',
  },
  {
    name: 'one file, one idea: over 300 lines needs a reason',
    find: ({ path, text }) => {
      const lines = text.split('\n').length - 1
      return lines > 300 && longFiles[path] === undefined ? [`has ${lines} lines`] : []
    },
    mend: 'Split it at its second idea, or give the reason in longFiles',
  },
]

/** `claimHeadOfQueue` → claim, head, of, queue; plurals count as their singular. */
function wordsOf(name: string): readonly string[] {
  return name
    .split(/(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+/)
    .map((word) => word.toLowerCase().replace(/(?<=[a-z]{2})s$/, ''))
}
