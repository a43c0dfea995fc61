import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CommandDeskDeps, SandboxOrder } from '../../../../../src/worker/tools/terminal/desk-deps.ts'
import { buildBwrapArguments } from '../../../../../src/worker/tools/terminal/sandbox/bwrap-arguments.ts'
import { findCommonGit } from '../../../../../src/worker/tools/terminal/sandbox/find-common-git.ts'
import { placesOfRun } from '../../../../../src/worker/tools/terminal/sandbox/places-of-run.ts'
import { TestDesk } from '../desk.ts'
import { canSandbox } from './can-sandbox.ts'

const order = (more: Partial<SandboxOrder> = {}): SandboxOrder => ({
  network: 'off',
  hidden: [],
  readable: [],
  ...more,
})
const base = resolve('.cache')
const sandboxed = (more: Partial<CommandDeskDeps> = {}) => new TestDesk({ sandbox: order(), ...more }, base)

test('it can be had where the machine allows it; where not, asking for it is refused and nothing is run without it', async () => {
  await using desk = sandboxed()
  const checked = desk.desk.checkSandbox().then(
    () => 'allowed',
    (fault) => fault.code,
  )
  expect(await checked).toBe(canSandbox ? 'allowed' : 'WORKER_NO_SANDBOX')
  await desk.terminal('touch x')
  expect(existsSync(join(desk.workspace, 'x'))).toBe(canSandbox)
})

describe('a sandbox that is asked for and cannot be had is a refusal', () => {
  test('where bubblewrap is not installed', async () => {
    await using desk = sandboxed({ env: { PATH: '/nowhere' } })
    await expect(desk.desk.checkSandbox()).rejects.toThrow('bubblewrap (bwrap) is not installed')
    expect(await desk.terminal('touch x')).toContain('not started: there is no sandbox')
  })

  test.each([
    ['bwrap: No permissions to create new namespace', 'user namespaces are off on this machine (bwrap: No permissions'],
    ['bwrap: setting up uid map: Permission denied', 'user namespaces are off on this machine'],
    ['bwrap: something new', 'into a sandbox: bwrap: something new'],
  ])('where it says %s', async (said, says) => {
    await using desk = sandboxed()
    const bin = join(desk.folder, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'bwrap'), `#!/bin/sh\necho '${said}' >&2\nexit 1\n`)
    chmodSync(join(bin, 'bwrap'), 0o755)
    await using other = sandboxed({ env: { PATH: `${bin}:${process.env.PATH}` } })
    await expect(other.desk.checkSandbox()).rejects.toThrow(says)
  })
})

describe.runIf(canSandbox)('in the sandbox', () => {
  test('the workspace and the temporary folder may be written, and nothing else', async () => {
    await using desk = sandboxed()
    await desk.desk.checkSandbox()
    expect(desk.logged).toEqual(['chat: commands run in a sandbox by bubblewrap, network off'])
    writeFileSync(join(desk.folder, 'beside'), 'kept')
    const text = await desk.terminal(
      `echo in > made; echo t > /tmp/kept; echo x > ${desk.folder}/beside; echo x > /etc/made; pwd; id -u; echo named > /dev/stderr`,
    )
    expect(text).toContain('/etc/made: Read-only file system')
    expect(text).toContain(`${desk.workspace}\n`)
    expect(text).toContain('\nnamed\n')
    expect(readFileSync(join(desk.workspace, 'made'), 'utf8')).toBe('in\n')
    expect(readFileSync(join(desk.folder, 'beside'), 'utf8')).toBe('kept')
    expect(existsSync('/tmp/kept')).toBe(false)
    expect(await desk.terminal('cat /tmp/kept')).toMatch(/^t\n/)
    await desk.desk.closeAll()
    expect(existsSync(desk.outputs)).toBe(false)
  })

  test('home, run directory and files with keys are not seen', async () => {
    await using plain = new TestDesk({}, base)
    const home = join(plain.folder, 'home')
    const run = join(plain.folder, 'run')
    for (const folder of [home, run]) {
      mkdirSync(folder)
      writeFileSync(join(folder, 'secret'), 'canary')
    }
    writeFileSync(join(plain.folder, 'key'), 'canary')
    const inside = join(plain.workspace, '.yardmaster')
    mkdirSync(inside)
    writeFileSync(join(inside, 'board.db'), 'canary')
    await using desk = new TestDesk({
      workspace: plain.workspace,
      env: { PATH: process.env.PATH, HOME: home },
      sandbox: order({ hidden: [run, join(plain.folder, 'key'), inside, '/no/such/place'] }),
    })
    const text = await desk.terminal(
      `cat ${home}/secret ${run}/secret ${plain.folder}/key .yardmaster/board.db; ls -A ~ ${run} .yardmaster; echo x > ~/.cache && echo written`,
    )
    expect(text).not.toContain('canary')
    expect(text).toContain('written')
    expect(readdirSync(home)).toEqual(['secret'])
  })

  test('files with settings above the workspace are empty; its own are its own', async () => {
    await using desk = sandboxed()
    writeFileSync(join(desk.folder, '.env'), 'CANARY=1')
    writeFileSync(join(desk.folder, '.env.local'), 'CANARY=2')
    writeFileSync(join(desk.workspace, '.env'), 'OWN=1')
    const text = await desk.terminal('cat ../.env ../.env.local; cat .env')
    expect(text).not.toContain('CANARY')
    expect(text).toContain('OWN=1')
  })

  test('other processes are not seen, and none of its own survives', async () => {
    await using desk = sandboxed()
    const text = await desk.terminal(`ls -d /proc/[0-9]* | wc -l; kill -0 ${process.pid} || echo not seen`)
    expect(Number(text.split('\n')[0])).toBeLessThan(10)
    expect(text).toContain('not seen')
  })

  test('there is no network where it is off', async () => {
    await using off = sandboxed()
    await using on = new TestDesk({ sandbox: order({ network: 'on' }) })
    const look = 'tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d " " | sort | tr "\\n" " "'
    expect(await off.terminal(look)).toMatch(/^lo \n/)
    const here = execFileSync('bash', ['-c', look], { encoding: 'utf8' })
    expect(await on.terminal(look)).toContain(here)
  })

  test('a command keeps its exit code and its limit, hears TERM first, and is ended with all that it started', async () => {
    await using desk = sandboxed()
    expect(await desk.terminal('exit 7')).toContain('[exit 7')
    const command = 'trap "echo bye; exit 0" TERM; (trap "" TERM; echo x > begun; while :; do sleep 0.05; done) & wait'
    const text = await desk.terminal(command, { timeout_seconds: 1 })
    expect(text).toContain('bye')
    expect(text).toContain('stopped after its limit of 1s')
    expect(await desk.desk.closeAll()).toEqual([])
  })

  test('a background command is ended with the worker', async () => {
    await using desk = sandboxed()
    await desk.terminal('echo $$; exec sleep 60', { background: true })
    const [row] = (await desk.process('list')).split('\n')
    expect(row).toContain('P1: runs')
    expect(await desk.desk.closeAll()).toMatchObject([{ id: 'P1', end: 'ended' }])
  })

  test('it is gone with a worker that is killed', async () => {
    await using desk = sandboxed()
    await desk.terminal('sleep 60', { background: true })
    desk.desk.killNow()
    const look = async () => (await desk.process('list')).includes('P1: runs')
    while (await look()) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(await desk.desk.closeAll()).toEqual([])
  })

  test('a worktree commits into the repository that it belongs to, and can plant no hook there', async () => {
    await using plain = new TestDesk({}, base)
    const repo = join(plain.folder, 'repo')
    const tree = join(plain.folder, 'tree')
    const home = join(plain.folder, 'home')
    mkdirSync(home)
    const env = { PATH: process.env.PATH, HOME: home }
    const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, env, encoding: 'utf8' })
    git(home, 'config', '--global', 'user.name', 'Ada "the first" L')
    git(home, 'config', '--global', 'user.email', 'ada@example.org')
    git(plain.folder, 'init', '-q', repo)
    git(repo, 'commit', '-q', '--allow-empty', '-m', 'first')
    git(repo, 'worktree', 'add', '-q', tree)
    await using desk = new TestDesk({ workspace: tree, env, sandbox: order() })

    expect(
      await desk.terminal('echo x > file; git add file; git commit -q -m second; git log --format=%s%an'),
    ).toContain('secondAda the first L')
    expect(git(tree, 'log', '-1', '--format=%s')).toBe('second\n')
    const planted = await desk.terminal(
      `cd ${repo}; echo x > .git/hooks/post-commit; git config core.fsmonitor x; echo x > y`,
    )
    expect(planted.match(/Read-only file system/g)?.length).toBeGreaterThanOrEqual(1)
    expect(existsSync(join(repo, '.git', 'hooks', 'post-commit'))).toBe(false)
    expect(git(repo, 'config', '--list')).not.toContain('fsmonitor')
    const link = readFileSync(join(tree, '.git'), 'utf8')
    await desk.terminal('mv .git away; rm -f .git; mkdir .git; echo x >.git')
    expect(readFileSync(join(tree, '.git'), 'utf8')).toBe(link)
  })

  test.each(['hooks', 'no hooks'])(
    'a repository of its own takes commits, and is told of no program to run: %s',
    async (which) => {
      await using plain = new TestDesk({}, base)
      const git = (...args: string[]) => execFileSync('git', args, { cwd: plain.workspace, encoding: 'utf8' })
      git('init', '-q')
      git('config', 'user.email', 'ada@example.org')
      git('config', 'user.name', 'Ada')
      if (which === 'no hooks') rmSync(join(plain.workspace, '.git', 'hooks'), { recursive: true })
      await using desk = new TestDesk({ workspace: plain.workspace, sandbox: order() })

      const said = await desk.terminal('echo x >a; git add a; git checkout -q -b side; git commit -qm first')
      expect(said).toContain('exit 0')
      await desk.terminal(
        'git config core.fsmonitor x; mv .git away; mkdir -p .git/hooks; echo x >.git/hooks/pre-commit; rm .git/config',
      )

      expect(git('log', '--format=%s %an', 'side')).toBe('first Ada\n')
      expect(git('config', '--list')).not.toContain('fsmonitor')
      expect(existsSync(join(plain.workspace, '.git', 'hooks', 'pre-commit'))).toBe(false)
    },
  )

  test('the whole of a long output can be looked into by the next command', async () => {
    await using desk = sandboxed()
    const text = await desk.terminal('seq 1 20000')
    const path = /the whole output is in (\S+):/.exec(text)?.[1]
    expect(await desk.terminal(`grep -c . ${path}`)).toMatch(/^20000\n/)
  })
})

describe('the repository of a worktree is opened only where it names the worktree, too', () => {
  test('a file that merely points somewhere opens nothing', async () => {
    await using desk = new TestDesk()
    const other = join(desk.folder, 'other', 'worktrees', 'x')
    mkdirSync(other, { recursive: true })
    writeFileSync(join(other, 'commondir'), '../..\n')
    writeFileSync(join(other, 'gitdir'), '/somewhere/else/.git\n')
    writeFileSync(join(desk.workspace, '.git'), `gitdir: ${other}\n`)
    expect(findCommonGit(desk.workspace)).toBeUndefined()
    writeFileSync(join(other, 'gitdir'), `${desk.workspace}/.git\n`)
    expect(findCommonGit(desk.workspace)).toBe(join(desk.folder, 'other'))
  })

  test('a folder of its own, a link and rubbish open nothing', async () => {
    await using desk = new TestDesk()
    expect(findCommonGit(desk.workspace)).toBeUndefined()
    symlinkSync('/etc/hostname', join(desk.workspace, '.git'))
    expect(findCommonGit(desk.workspace)).toBeUndefined()
  })
})

test('what is hidden around the workspace comes before it, what is hidden in it after it', () => {
  const args = buildBwrapArguments(
    {
      workspace: '/home/me/code',
      writable: ['/srv/repo/.git'],
      pinned: [],
      kept: ['/srv/repo/.git/hooks'],
      hidden: [
        { path: '/home', kind: 'folder' },
        { path: '/home/me/.yard/key', kind: 'file' },
        { path: '/home/me/code/.yard', kind: 'folder' },
        { path: '/srv/.env', kind: 'file' },
      ],
      readable: ['/home/me/code/.yard/out'],
      replaced: [['/ours/tmp', '/tmp']],
      network: 'on',
      user: 'other',
    },
    { cwd: '/home/me/code/sub' },
  ).join(' ')
  expect(args).toBe(
    '--unshare-all --share-net --die-with-parent --ro-bind / / --dev /dev --proc /proc ' +
      '--tmpfs /home --ro-bind /dev/null /srv/.env --bind /ours/tmp /tmp ' +
      '--bind /srv/repo/.git /srv/repo/.git --bind /home/me/code /home/me/code ' +
      '--ro-bind /srv/repo/.git/hooks /srv/repo/.git/hooks --tmpfs /home/me/code/.yard ' +
      '--ro-bind /home/me/code/.yard/out /home/me/code/.yard/out --setenv TMPDIR /tmp --chdir /home/me/code/sub --',
  )
})

test('of an attempt the run directory is hidden, and the home of the yard around it', () => {
  expect(placesOfRun('/var/yard/runs/0/R981/report.json')).toEqual(['/var/yard', '/var/yard/runs/0/R981'])
  expect(placesOfRun('/tmp/x/report.json')).toEqual(['/tmp/x'])
})
