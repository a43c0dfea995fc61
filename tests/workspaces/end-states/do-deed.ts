import {
  chmodSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { git, gitBytes, type TestWorktree, tryGit, writeBelow } from '../a-worktree.ts'
import { contents, type Deed, gitDeeds, names } from './deed.ts'

/** Does it as far as it goes: what git or the file system refuses is an end state, too. */
export function doDeed(at: TestWorktree, deed: Deed): void {
  try {
    act(at, deed)
  } catch {
    // Then nothing happened, which is an end state like any other.
  }
}

function act(at: TestWorktree, deed: Deed): unknown {
  switch (deed.kind) {
    case 'write':
      return write(at, pathOf(at, deed.name), contents[deed.content] ?? '')
    case 'delete':
      return rmSync(pathOf(at, deed.name), { recursive: true })
    case 'make_executable':
      return lstatSync(pathOf(at, deed.name)).isFile() && chmodSync(pathOf(at, deed.name), 0o755)
    case 'make_plain':
      return lstatSync(pathOf(at, deed.name)).isFile() && chmodSync(pathOf(at, deed.name), 0o644)
    case 'empty_folder':
      return mkdirSync(pathOf(at, deed.name))
    case 'link':
      rmSync(pathOf(at, deed.name), { recursive: true, force: true })
      return symlinkSync(deed.to, pathOf(at, deed.name))
    case 'rename':
      return renameSync(pathOf(at, deed.name), pathOf(at, deed.to))
    case 'stage':
      return gitBytes(at.path, ['update-index', '--add', '-z', '--stdin'], nul(deed.name))
    case 'unstage':
      return gitBytes(at.path, ['update-index', '--force-remove', '-z', '--stdin'], nul(deed.name))
    case 'hide':
      return gitBytes(at.path, ['update-index', '--assume-unchanged', '-z', '--stdin'], nul(deed.name))
    case 'skip':
      return gitBytes(at.path, ['update-index', '--skip-worktree', '-z', '--stdin'], nul(deed.name))
    case 'break_index':
      return breakIndex(at, deed.how)
    case 'break_attributes':
      return at.write('.gitattributes', attributes[deed.how] ?? '')
    case 'nest':
      return nest(at, deed.commits)
    case 'git':
      if (deed.does === 'personCommits') return personCommits(at)
      return tryGit(at.path, ...gitDeeds[deed.does])
  }
}

/** `bad` always fails and `tame` does nothing; both are in the repository's configuration. */
const attributes = [
  '* filter=bad\n',
  '*.txt filter=bad\n',
  '* filter=tame\n',
  '*.ts -diff\n',
  '*.txt binary\n',
  '* -text\n',
]

const pathOf = ({ path }: TestWorktree, name: number): Buffer =>
  Buffer.concat([Buffer.from(`${path}/`), names[name] ?? Buffer.from('a.txt')])

const nul = (name: number): Buffer => Buffer.concat([names[name] ?? Buffer.from('a.txt'), Buffer.from([0])])

/** Never through a link that an earlier deed has made: what it leads to is somebody else's. */
function write(at: TestWorktree, path: Buffer, content: Buffer | string): void {
  const folder = path.subarray(0, path.lastIndexOf(0x2f))
  mkdirSync(folder, { recursive: true })
  const real = realpathSync(folder, 'buffer')
  const top = Buffer.from(realpathSync(at.path))
  if (!real.equals(top) && !real.subarray(0, top.length + 1).equals(Buffer.concat([top, Buffer.from('/')]))) {
    throw new Error('that is outside of the worktree')
  }
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(path)
  writeFileSync(path, content)
}

function breakIndex({ worktree: { adminDir } }: TestWorktree, how: number): void {
  const index = join(adminDir, 'index')
  if (how === 0) writeFileSync(index, 'this is no index')
  else if (how === 1) truncateSync(index, 40)
  else if (how === 2) rmSync(index)
  else if (how === 3) writeFileSync(join(adminDir, 'HEAD.lock'), '')
  else writeFileSync(join(adminDir, 'index.lock'), 'half')
}

function nest({ path, write }: TestWorktree, commits: boolean): void {
  write('nested/file.txt', 'in a repository of its own\n')
  git(path, 'init', '-q', 'nested')
  if (!commits) return
  git(join(path, 'nested'), 'add', '-A')
  git(join(path, 'nested'), 'commit', '-q', '--allow-empty', '-m', 'nested')
}

/** The person goes on in the repository meanwhile. */
function personCommits({ repo }: TestWorktree): void {
  writeBelow(repo, 'of-the-person.txt', `${git(repo, 'rev-list', '--count', 'HEAD')}\n`)
  git(repo, 'add', 'of-the-person.txt')
  git(repo, 'commit', '-qm', 'of the person')
}
