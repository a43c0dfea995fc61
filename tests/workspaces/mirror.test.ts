import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/kernel/index.ts'
import { mirrorPath } from '../../src/workspaces/mirror.ts'
import { retireUnusedMirrors } from '../../src/workspaces/unused-mirrors.ts'
import type { WorkspaceDeps } from '../../src/workspaces/worktree.ts'
import { codeOf, madeOf, openPlace, type Place } from './repository.ts'

let place: Place
let laterMs: number
let url: string
beforeEach(() => {
  laterMs = 0
  place = openPlace({ ...systemClock, monotonicMs: () => systemClock.monotonicMs() + laterMs })
  url = `file://${place.repo}`
})
afterEach(() => place.clear())

const mirrors = () => (existsSync(join(place.home, 'mirrors')) ? readdirSync(join(place.home, 'mirrors')) : [])

/** A git that writes down each verb that it is started with. */
function counting(): { readonly deps: WorkspaceDeps; readonly verbs: (verb: string) => number } {
  const bin = join(place.root, 'bin')
  mkdirSync(bin, { recursive: true })
  const real = `PATH=${place.deps.env.PATH} exec git "$@"`
  writeFileSync(join(bin, 'git'), `#!/bin/sh\necho " $* " >> ${place.root}/calls\n${real}\n`)
  chmodSync(join(bin, 'git'), 0o755)
  const env = { ...place.deps.env, PATH: `${bin}:${place.deps.env.PATH}` }
  const lines = () => readFileSync(join(place.root, 'calls'), 'utf8').split('\n')
  return { deps: { ...place.deps, env }, verbs: (verb) => lines().filter((line) => line.includes(` ${verb} `)).length }
}

describe('a worktree of a repository that is named by its address', () => {
  test('belongs to a mirror in the home; branches of tasks lie beside those of the remote, and a fetch leaves them alone', async () => {
    const first = madeOf(await place.make({ repo: url })).worktree
    expect(first).toMatchObject({ repo: url, baseRef: 'main', baseCommit: place.git(['rev-parse', 'main']) })
    expect(first.gitDir).toBe(join(place.home, 'mirrors', mirrors()[0] ?? ''))
    place.git(['commit', '-q', '--allow-empty', '-m', 'third'])
    laterMs = 61_000
    const second = madeOf(await place.make({ id: 6, repo: `${url}/` })).worktree
    expect(second.gitDir).toBe(first.gitDir)
    expect(second.baseCommit).toBe(place.git(['rev-parse', 'main']))
    expect(place.git(['rev-parse', first.branch], first.path)).toBe(first.baseCommit)
    expect(place.branches()).toEqual(['main'])
  })

  test('has a mirror of its own where only `.git` at the end tells it from another on the same disk', async () => {
    place.git(['clone', '--quiet', '--bare', place.repo, `${place.repo}.git`])
    const bare = place.git(['rev-parse', 'main'])
    place.git(['commit', '-q', '--allow-empty', '-m', 'third'])
    const folder = madeOf(await place.make({ id: 1, repo: url })).worktree
    const other = madeOf(await place.make({ id: 2, repo: `${url}.git` })).worktree
    expect(folder.baseCommit).toBe(place.git(['rev-parse', 'main']))
    expect(other.baseCommit).toBe(bare)
    expect(mirrorPath(place.home, 'https://Example.com/shop.git')).toBe(
      mirrorPath(place.home, 'https://example.com/shop/'),
    )
  })

  test('is fetched once for all that start together, and not again within a minute unless a ref is missing', async () => {
    const { deps, verbs } = counting()
    const made = await Promise.all([1, 2, 3, 4].map((id) => place.make({ id, repo: url }, deps)))
    expect(made.map(codeOf)).toEqual(Array(4).fill('made'))
    expect(verbs('fetch')).toBe(1)
    place.git(['branch', 'new'])
    expect(codeOf(await place.make({ id: 5, repo: url, ref: 'main' }, deps))).toBe('made')
    expect(verbs('fetch')).toBe(1)
    expect(codeOf(await place.make({ id: 6, repo: url, ref: 'new' }, deps))).toBe('made')
    expect(verbs('fetch')).toBe(2)
    for (const id of [7, 8]) expect(codeOf(await place.make({ id, repo: url, ref: 'gone' }, deps))).toContain('NO_REF')
    expect(verbs('fetch')).toBe(3)
    laterMs = 61_000
    expect(codeOf(await place.make({ id: 9, repo: url }, deps))).toBe('made')
    expect(verbs('fetch')).toBe(4)
  })

  test('can be cut short: branch, tag and commit, each with as many commits as asked', async () => {
    place.git(['tag', 'v1', 'HEAD~1'])
    const commit = place.git(['rev-parse', 'HEAD'])
    place.git(['config', 'uploadpack.allowAnySHA1InWant', 'true'])
    for (const [id, ref] of [null, 'v1', commit, 'main'].entries()) {
      const { worktree } = madeOf(await place.make({ id: id + 1, repo: url, ref, depth: 1 }))
      expect(place.git(['rev-list', '--count', 'HEAD'], worktree.path)).toBe('1')
    }
    expect(codeOf(await place.make({ id: 8, repo: url, ref: 'nothing', depth: 1 }))).toBe('task WORKSPACES_NO_REF')
  })

  test('goes with its mirror a month after nobody has asked for it, unless a task has a branch or commits in it', async () => {
    place.git(['config', 'uploadpack.allowAnySHA1InWant', 'true'])
    const ref = place.git(['rev-parse', 'HEAD'])
    const { worktree } = madeOf(await place.make({ repo: url, ref, depth: 1 }))
    const later = (days: number) => ({ ...place.deps.clock, nowMs: () => systemClock.nowMs() + days * 86_400_000 })
    const retire = (days: number) => retireUnusedMirrors({ ...place.deps, clock: later(days) })
    expect(await retire(31)).toBe(0)
    place.git(['worktree', 'remove', '--force', '--force', worktree.path], worktree.gitDir)
    expect(await retire(31)).toBe(0)
    place.git(['update-ref', 'refs/yardmaster/t5-fix/R12', worktree.branch], worktree.gitDir)
    place.git(['branch', '-qD', worktree.branch], worktree.gitDir)
    expect(await retire(31)).toBe(0)
    place.git(['update-ref', '-d', 'refs/yardmaster/t5-fix/R12'], worktree.gitDir)
    expect(await retire(29)).toBe(0)
    expect(await retire(31)).toBe(1)
    expect(mirrors()).toEqual([])
  })

  test('a branch that a worker has made in the mirror does not stand for the one of the remote', async () => {
    const { worktree } = madeOf(await place.make({ repo: url }))
    place.git(['commit', '-q', '--allow-empty', '-m', 'evil'], worktree.path)
    place.git(['branch', 'main'], worktree.path)
    const next = madeOf(await place.make({ id: 6, repo: url, ref: 'main' })).worktree
    expect(next.baseCommit).toBe(place.git(['rev-parse', 'main']))
  })

  test('leaves no half mirror where the fetch fails, and takes away what a kill has left', async () => {
    expect(codeOf(await place.make({ repo: `file://${place.root}/none.git` }))).toBe('task WORKSPACES_REMOTE_MISSING')
    expect(mirrors()).toEqual([])
    madeOf(await place.make({ repo: url }))
    const [name = ''] = mirrors()
    const other = join(place.root, 'other')
    place.git(['clone', '-q', place.repo, other])
    expect(mirrors()).toEqual([name])
    expect(codeOf(await place.make({ id: 7, repo: `file://${other}` }))).toBe('made')
    expect(mirrors()).toHaveLength(2)
  })

  test('locks that a killed fetch has left are taken away before the next one; young ones are somebody’s', async () => {
    const { gitDir } = madeOf(await place.make({ repo: url })).worktree
    place.git(['commit', '-q', '--allow-empty', '-m', 'third'])
    const locks = [join(gitDir, 'refs', 'remotes', 'origin', 'main.lock'), join(gitDir, 'packed-refs.lock')]
    for (const lock of locks) writeFileSync(lock, '')
    laterMs = 61_000
    expect(codeOf(await place.make({ id: 6, repo: url }))).toBe('machine WORKSPACES_REMOTE_GONE')
    for (const lock of locks) utimesSync(lock, 1, 1)
    const { worktree } = madeOf(await place.make({ id: 6, repo: url }))
    expect(worktree.baseCommit).toBe(place.git(['rev-parse', 'main']))
    expect(locks.filter((lock) => existsSync(lock))).toEqual([])
  })

  test('is fetched from its address, whatever a worker has written into the configuration of the mirror', async () => {
    const { worktree } = madeOf(await place.make({ repo: url }))
    const evil = join(place.root, 'evil')
    place.git(['clone', '-q', place.repo, evil])
    place.git(['commit', '-q', '--allow-empty', '-m', 'evil'], evil)
    const said = (name: string, value: string) => place.git(['config', name, value], worktree.path)
    said(`url.file://${evil}.insteadOf`, url)
    said(`remote.${url}.uploadpack`, `touch ${place.root}/ran; git-upload-pack`)
    said('remote.fork.url', 'https://example.com/fork.git')
    const programs = [
      'credential.helper',
      'core.sshCommand',
      'core.gitProxy',
      'core.askPass',
      'core.alternateRefsCommand',
    ]
    const ways = ['include.path', 'http.proxy', 'protocol.ext.allow', 'fetch.bundleURI', 'transfer.credentialsInUrl']
    for (const name of [...programs, ...ways]) said(name, `!touch ${place.root}/ran`)
    place.git(['commit', '-q', '--allow-empty', '-m', 'new'])
    laterMs = 61_000
    const next = madeOf(await place.make({ id: 6, repo: url })).worktree
    expect(place.git(['log', '-1', '--format=%s'], next.path)).toBe('new')
    expect(existsSync(join(place.root, 'ran'))).toBe(false)
    const left = place.git(['config', '--file', join(next.gitDir, 'config'), '--list', '--name-only']).split('\n')
    const plain = ['core.repositoryformatversion', 'core.filemode', 'core.bare']
    expect(left).toEqual([...plain, 'remote.origin.url', 'remote.origin.fetch', 'remote.fork.url'])
  })

  test('an empty repository is named as such', async () => {
    const empty = join(place.root, 'empty')
    place.git(['init', '-q', empty], place.root)
    expect(codeOf(await place.make({ repo: `file://${empty}` }))).toBe('task WORKSPACES_REPO_EMPTY')
  })

  test('an address with a secret in it is refused without showing it; so is one that would run a program', async () => {
    const refused = await place.make({ repo: 'https://ann:s3cr3t@example.com/shop.git' })
    expect(codeOf(refused)).toBe('task WORKSPACES_URL_SECRET')
    expect(refused.ok ? '' : refused.error.message).toContain('https://***@example.com/shop.git')
    expect(codeOf(await place.make({ repo: 'https://ghp_token@example.com/shop.git' }))).toBe(
      'task WORKSPACES_URL_SECRET',
    )
    for (const repo of ['ext::sh -c touch% x', 'shop', '-oProxyCommand=x:y', 'ftp://example.com/x', 'a b:c']) {
      expect(codeOf(await place.make({ repo }))).toBe('task WORKSPACES_BAD_URL')
    }
  })

  test('a remote that asks for a password needs a person; one that is gone or breaks off is tried again', async () => {
    const server = createServer((request, response) => {
      if (request.url?.startsWith('/closed')) response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' })
      else if (request.url?.startsWith('/broken')) response.writeHead(502)
      else response.writeHead(404)
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      expect(codeOf(await place.make({ repo: `${origin}/closed.git` }))).toBe('task WORKSPACES_REMOTE_ASKS')
      expect(codeOf(await place.make({ repo: `${origin}/none.git` }))).toBe('task WORKSPACES_REMOTE_MISSING')
      expect(codeOf(await place.make({ repo: `${origin}/broken.git` }))).toBe('machine WORKSPACES_REMOTE_GONE')
    } finally {
      await new Promise((resolve) => server.close(resolve))
    }
    expect(codeOf(await place.make({ repo: `${origin}/gone.git` }))).toBe('machine WORKSPACES_REMOTE_GONE')
    expect(mirrors()).toEqual([])
  })
})
