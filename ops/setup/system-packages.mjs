// The few programs that npm cannot bring. Nothing of the system is changed without being asked for: `--yes` or CI=true.
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { runCommand } from './run-command.mjs'

/**
 * What each purpose needs: the program looked for, Debian's package that has it, and why.
 * @type {Record<'install' | 'test' | 'bench', { program: string, debian: string, why: string, optional?: boolean }[]>}
 */
export const systemPackages = {
  install: [
    { program: 'g++', debian: 'g++', why: 'compiles better-sqlite3 where no ready-made binary can be downloaded' },
    { program: 'make', debian: 'make', why: 'compiles better-sqlite3 where no ready-made binary can be downloaded' },
    { program: 'python3', debian: 'python3', why: 'runs node-gyp, which compiles better-sqlite3' },
    { program: 'ccache', debian: 'ccache', why: 'makes that compilation quick the second time', optional: true },
  ],
  test: [
    { program: 'bash', debian: 'bash', why: 'runs tasks whose `run` is text' },
    {
      program: 'git',
      debian: 'git',
      why: 'makes the worktrees that tasks work in, and lists the tracked files for a matrix with `glob`',
    },
    {
      program: 'bwrap',
      debian: 'bubblewrap',
      why: 'is the sandbox of commands; without it the tests prove that it is refused',
      optional: true,
    },
  ],
  bench: [
    { program: 'parallel', debian: 'parallel', why: 'is the peer that cycle_time_vs_parallel is measured against' },
  ],
}

/**
 * The rows of `wanted` whose program is on no folder of `path`.
 * @template {{ program: string }} Row
 * @param {readonly Row[]} wanted
 * @param {string} path
 * @returns {Row[]}
 */
export function findMissing(wanted, path) {
  return wanted.filter(({ program }) => !path.split(delimiter).some((folder) => isExecutable(join(folder, program))))
}

/**
 * Sees to the programs of one purpose. `install: 'allowed'` brings what is missing by apt-get; `'ask'` only says what
 * is missing, why, and what to type. Answers what is missing afterwards.
 * @param {keyof typeof systemPackages} purpose
 * @param {{ install: 'allowed' | 'ask', say: (line: string) => void }} how
 */
export async function ensureSystemPackages(purpose, { install, say }) {
  const path = process.env.PATH ?? ''
  const missing = findMissing(systemPackages[purpose], path)
  if (missing.length === 0) return []
  const names = missing.map(({ debian }) => debian)
  if (install === 'allowed') {
    say(`system packages: ${names.join(' ')} are missing and are installed now`)
    const done = await aptInstall(names)
    if (!done) say(`system packages: apt-get could not install ${names.join(' ')}; going on without`)
  } else {
    for (const { program, why, optional } of missing) {
      say(`system package missing${optional ? ' (optional)' : ''}: ${program}, which ${why}`)
    }
    say(
      `  to bring ${names.length === 1 ? 'it' : 'them'}: apt-get install ${names.join(' ')}, or run this again with --yes`,
    )
  }
  return findMissing(systemPackages[purpose], path)
}

async function aptInstall(names) {
  const root = process.getuid?.() === 0
  const apt = root ? ['apt-get'] : ['sudo', '-n', 'apt-get']
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  try {
    const updated = await runCommand([...apt, 'update', '-qq'], { env, output: 'ignore' })
    if (updated !== 0) return false
    const options = ['install', '-y', '-qq', '--no-install-recommends']
    return (await runCommand([...apt, ...options, ...names], { env, output: 'ignore' })) === 0
  } catch {
    return false // no apt-get or no sudo here: the caller says what is missing
  }
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false // not in this folder
  }
}
