import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, renameSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, realPath } from '../kernel/index.ts'
import { explainGit, explainRemote, faultOf, type WorkspaceFault } from './explain-git.ts'
import { runGit } from './git.ts'
import { gitError } from './git-errors.ts'
import { inTurn } from './in-turn.ts'
import { tidyMirrorConfig } from './mirror-config.ts'
import { removeStaleLocks } from './stale-locks.ts'
import type { WorkspaceDeps } from './worktree.ts'

/**
 * A bare copy of a repository that is named by its address: `<home>/mirrors/<hash of the address>`. The branches of the remote
 * are under `refs/remotes/origin`, so that a fetch never touches the branches of tasks beside them. It is made under another
 * name and renamed when it is whole: a kill leaves no half one in its place.
 */
export interface Mirror {
  readonly ok: true
  readonly gitDir: string
  /** What the remote calls its own branch: `main`. */
  readonly head: string
}

export interface AskedMirror {
  readonly url: string
  /** Null: the remote's own branch. */
  readonly ref: string | null
  readonly depth: number | null
}

/** An address and not a path: `https://…`, `file:///…`, `git@host:path`. */
export const isUrl = (repo: string): boolean => !repo.startsWith('/')

/** What was fetched a minute ago is new enough for those that start together. */
const freshMs = 60_000

/** When a mirror, or one ref of it, was last fetched by this process, on its own clock. */
const fetched = new Map<string, number>()

/** Makes or updates the mirror of a URL. Those that ask together share one fetch; within a minute nothing is fetched again. */
export async function refreshMirror(deps: WorkspaceDeps, asked: AskedMirror): Promise<Mirror | WorkspaceFault> {
  const refused = whyRefused(asked.url)
  if (refused !== undefined) return refused
  const gitDir = mirrorPath(deps.home, asked.url)
  return await inTurn(gitDir, () => refresh(deps, gitDir, asked))
}

export function mirrorPath(home: string, url: string): string {
  const hash = createHash('sha256').update(normalise(url)).digest('hex').slice(0, 16)
  return join(mirrorsOf(home), hash)
}

export const mirrorsOf = (home: string): string => join(realPath(home), 'mirrors')

/**
 * Two ways to write one address: host in capitals, a slash at its end, and over http `.git`. On a disk, and so over ssh, `shop`
 * and `shop.git` are two: a checkout and what it was cloned from.
 */
function normalise(url: string): string {
  const parts = /^([a-z0-9+.-]+:\/\/[^/]*)(.*)$/is.exec(url)
  const host = parts?.[1]?.toLowerCase() ?? ''
  const path = parts === null ? url : (parts[2] ?? '')
  const plainPath = path.replace(/\/+$/, '')
  return host + (host.startsWith('http') ? plainPath.replace(/\.git$/, '') : plainPath)
}

const schemes = /^(https?|ssh|git|file|git\+ssh|ssh\+git):\/\//i
const scpForm = /^[A-Za-z0-9._-]+(@[A-Za-z0-9._-]+)?:(?!\/\/)[^:]/

function whyRefused(url: string): WorkspaceFault | undefined {
  const user = /^[a-z0-9+.-]+:\/\/([^/@]*)@/i.exec(url)?.[1]
  const isHttp = /^https?:/i.test(url)
  if (user !== undefined && (isHttp || user.includes(':'))) {
    return faultOf('task', gitError('WORKSPACES_URL_SECRET', { url: url.replace(`${user}@`, '***@') }))
  }
  const isPlain = url.length <= 2_000 && !/[\0-\x20\x7f]/.test(url) && !url.includes('::')
  return isPlain && (schemes.test(url) || scpForm.test(url))
    ? undefined
    : faultOf('task', gitError('WORKSPACES_BAD_URL', { url: url.slice(0, 200) }))
}

async function refresh(deps: WorkspaceDeps, gitDir: string, asked: AskedMirror): Promise<Mirror | WorkspaceFault> {
  const isThere = lstatSync(gitDir, { throwIfNoEntry: false })?.isDirectory() === true
  const ofRef = `${gitDir} ${asked.depth ?? ''} ${asked.ref ?? ''}`
  const isFresh = (key: string) => deps.clock.monotonicMs() - (fetched.get(key) ?? Number.NEGATIVE_INFINITY) < freshMs
  // A branch that was pushed a moment ago is what the next one asks for.
  const hasIt = async () => isFresh(gitDir) && (asked.ref === null || (await hasRef(deps, gitDir, asked.ref)))
  if (!isThere || !(isFresh(ofRef) || (await hasIt()))) {
    const fault = isThere ? await fetchInto(deps, gitDir, asked) : await makeMirror(deps, gitDir, asked)
    if (fault !== undefined) return fault
    for (const key of asked.depth === null ? [gitDir, ofRef] : [ofRef]) fetched.set(key, deps.clock.monotonicMs())
  }
  const nowS = deps.clock.nowMs() / 1000
  utimesSync(gitDir, nowS, nowS) // when it was last used
  return { ok: true, gitDir, head: await readHead(deps, gitDir) }
}

async function makeMirror(
  deps: WorkspaceDeps,
  gitDir: string,
  asked: AskedMirror,
): Promise<WorkspaceFault | undefined> {
  const mirrors = mirrorsOf(deps.home)
  makeFolder(mirrors, 0o700)
  for (const name of readdirSync(mirrors)) {
    if (join(mirrors, name).startsWith(`${gitDir}.new-`)) rmSync(join(mirrors, name), { recursive: true, force: true })
  }
  const unfinished = `${gitDir}.new-${deps.random.hex(4)}`
  const made = await runGit(deps, { cwd: mirrors, args: ['init', '--quiet', '--bare', '--template=', unfinished] })
  const fault = made.ok
    ? ((await rememberUrl(deps, unfinished, asked.url)) ?? (await fetchInto(deps, unfinished, asked)))
    : explainGit(made, { doing: 'make a mirror', repo: asked.url })
  if (fault === undefined) renameSync(unfinished, gitDir)
  else rmSync(unfinished, { recursive: true, force: true })
  return fault
}

/** For people who look into it, and for those who work in its worktrees: `origin` is what it is elsewhere. */
async function rememberUrl(deps: WorkspaceDeps, cwd: string, url: string): Promise<WorkspaceFault | undefined> {
  const answer = await runGit(deps, { cwd, args: ['config', 'remote.origin.url', url] })
  if (!answer.ok) return explainGit(answer, { doing: 'make a mirror', repo: url })
  const fetch = await runGit(deps, { cwd, args: ['config', 'remote.origin.fetch', branches] })
  return fetch.ok ? undefined : explainGit(fetch, { doing: 'make a mirror', repo: url })
}

const branches = '+refs/heads/*:refs/remotes/origin/*'
const tags = '+refs/tags/*:refs/tags/*'

async function fetchInto(
  deps: WorkspaceDeps,
  cwd: string,
  { url, ref, depth }: AskedMirror,
): Promise<WorkspaceFault | undefined> {
  const doing = 'fetch'
  removeStaleLocks(cwd, deps.clock.nowMs())
  await tidyMirrorConfig(deps, cwd)
  const asked = await runGit(deps, { cwd, args: ['ls-remote', '--symref', '--', url, 'HEAD'], reach: 'network' })
  if (!asked.ok) return explainRemote(asked, { doing, url })
  const head = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(asked.stdout)?.[1] ?? 'HEAD'
  const flags = ['--quiet', '--force', '--no-auto-maintenance', '--no-recurse-submodules', '--no-write-fetch-head']
  const cut = depth === null ? ['--prune', '--tags'] : [`--depth=${depth}`, '--no-tags']
  const fetch = async (specs: readonly string[]) =>
    await runGit(deps, { cwd, args: ['fetch', ...flags, ...cut, '--', url, ...specs], reach: 'network' })
  let answer = await fetch(depth === null ? [branches, tags] : specsFor(ref ?? head))
  for (const specs of depth === null || answer.ok ? [] : otherSpecsFor(ref ?? head)) {
    if (!/couldn't find remote ref|not our ref|no such remote ref/i.test(answer.ok ? '' : answer.stderr)) break
    answer = await fetch(specs)
  }
  if (!answer.ok) {
    // It is not there under any name: whoever asked for it tells the near ones.
    if (depth !== null && /couldn't find remote ref|not our ref/i.test(answer.stderr)) return undefined
    return explainRemote(answer, { doing, url })
  }
  if (head === 'HEAD') return undefined
  const noted = await runGit(deps, { cwd, args: ['symbolic-ref', headRef, `refs/remotes/origin/${head}`] })
  return noted.ok ? undefined : explainGit(noted, { doing, repo: url })
}

/** A shallow fetch names what it wants: a branch, else a tag, else a commit, where the remote gives those out. */
const specsFor = (ref: string): readonly string[] => [`+refs/heads/${plain(ref)}:refs/remotes/origin/${plain(ref)}`]
const otherSpecsFor = (ref: string): readonly (readonly string[])[] => [
  [`+refs/tags/${plain(ref)}:refs/tags/${plain(ref)}`],
  ...(/^[0-9a-f]{40,64}$/.test(ref) ? [[`+${ref}:${askedRefs}${ref}`]] : []),
]
/** Commits that a shallow fetch has asked for by number: the remote's, not a task's. */
export const askedRefs = 'refs/yardmaster/asked/'
const plain = (ref: string): string => ref.replace(/^(refs\/(heads|tags)\/|origin\/)/, '')

const headRef = 'refs/remotes/origin/HEAD'

async function readHead(deps: WorkspaceDeps, cwd: string): Promise<string> {
  const answer = await runGit(deps, { cwd, args: ['symbolic-ref', '--quiet', headRef] })
  return answer.ok ? answer.stdout.trim().replace('refs/remotes/origin/', '') : 'HEAD'
}

async function hasRef(deps: WorkspaceDeps, cwd: string, ref: string): Promise<boolean> {
  for (const name of [`refs/remotes/origin/${plain(ref)}`, ref]) {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]
    if ((await runGit(deps, { cwd, args })).ok) return true
  }
  return false
}
