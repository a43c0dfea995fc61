import { statSync } from 'node:fs'
import { join, posix, relative, resolve } from 'node:path'
import picomatch from 'picomatch'

export interface GlobQuery {
  /** Absolute folder that the patterns start from: the batch file's. */
  readonly dir: string
  readonly globs: readonly string[]
  readonly not: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
}

export type ListedFiles =
  /** `untracked`: how many more would match that git does not track. */
  | { readonly ok: true; readonly files: readonly string[]; readonly untracked: number }
  | { readonly ok: false; readonly says: string; readonly fix: string }

/**
 * Files that match, as paths from `dir` with `/`, sorted by their bytes so that every machine lists them alike. Inside a
 * git repository: tracked files that exist. Outside: a walk that leaves `.git` and `node_modules` alone and follows no
 * link. Files and folders with a leading dot match only where the pattern writes the dot.
 */
export async function listFiles({ dir, globs, not, env }: GlobQuery): Promise<ListedFiles> {
  const patterns = globs.map((glob) => patternFrom(dir, glob))
  const roots = [...new Set(patterns.map((pattern) => resolve(dir, picomatch.scan(pattern).base)))]
  const isMatch = picomatch(patterns)
  const leftOut = not.map((glob) => patternFrom(dir, glob))
  const isExcluded = leftOut.length === 0 ? () => false : picomatch(leftOut, { dot: true })
  const files = new Set<string>()
  let untracked = 0
  for (const root of roots) {
    const found = await filesBelow(root, env)
    if (!found.ok) return found
    const wanted = (path: string) => isMatch(path) && !isExcluded(path)
    for (const path of found.files.map((file) => fromDir(dir, root, file)).filter(wanted)) files.add(path)
    untracked += found.untracked.map((file) => fromDir(dir, root, file)).filter(wanted).length
  }
  const unreadable = [...files].find((file) => file.includes('\u{fffd}'))
  if (unreadable !== undefined) {
    return {
      ok: false,
      says: `matches ${unreadable}, whose name is not UTF-8`,
      fix: 'rename it, or leave it out with not:',
    }
  }
  return { ok: true, files: [...files].sort(byBytes), untracked }
}

/** A pattern as seen from `dir`; picomatch knows no leading `./`. */
const patternFrom = (dir: string, glob: string): string =>
  glob.startsWith('/') ? relative(dir, glob) : glob.replace(/^(\.\/)+/, '')

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

const fromDir = (dir: string, root: string, file: string): string =>
  posix.join(relative(dir, root).replaceAll('\\', '/'), file)

type Below =
  | { readonly ok: true; readonly files: readonly string[]; readonly untracked: readonly string[] }
  | { readonly ok: false; readonly says: string; readonly fix: string }

async function filesBelow(root: string, env: GlobQuery['env']): Promise<Below> {
  if (!isFolder(root)) return { ok: true, files: [], untracked: [] }
  const tracked = await gitFiles(root, [], env)
  switch (tracked.kind) {
    case 'files': {
      const others = await gitFiles(root, ['--others', '--exclude-standard'], env)
      // A tracked file may be deleted here, and a submodule is listed like a file.
      const files = tracked.files.filter((file) => isFile(join(root, file)) || file.includes('\u{fffd}'))
      return { ok: true, files, untracked: others.kind === 'files' ? others.files : [] }
    }
    case 'none':
      return { ok: true, files: await walk(root), untracked: [] }
    case 'failed':
      return {
        ok: false,
        says: `cannot ask git for the files: ${tracked.says}`,
        fix: 'mend that, or give the files as a list',
      }
  }
}

type GitFiles =
  | { readonly kind: 'files'; readonly files: readonly string[] }
  /** No repository, or no git on this machine. */
  | { readonly kind: 'none' }
  | { readonly kind: 'failed'; readonly says: string }

async function gitFiles(root: string, flags: readonly string[], env: GlobQuery['env']): Promise<GitFiles> {
  // Loaded at the first glob: most calls of the command line need neither.
  const { execa } = await import('execa')
  const answer = await execa('git', ['ls-files', '-z', ...flags], {
    cwd: root,
    // In a git hook these name another repository than the one `root` lies in.
    env: { ...env, GIT_DIR: undefined, GIT_WORK_TREE: undefined, GIT_INDEX_FILE: undefined, LC_ALL: 'C' },
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    stripFinalNewline: false,
    maxBuffer: 1024 ** 3,
  })
  if (!answer.failed) return { kind: 'files', files: answer.stdout.split('\0').filter((file) => file !== '') }
  if (answer.exitCode === undefined || answer.stderr.includes('not a git repository')) return { kind: 'none' }
  return { kind: 'failed', says: answer.stderr.trim().split('\n')[0] ?? `exit ${answer.exitCode}` }
}

async function walk(root: string): Promise<readonly string[]> {
  const { glob } = await import('tinyglobby')
  return await glob('**', {
    cwd: root,
    dot: true,
    followSymbolicLinks: false,
    expandDirectories: false,
    ignore: ['**/.git/**', '**/node_modules/**'],
  })
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
