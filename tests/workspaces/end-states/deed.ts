import fc from 'fast-check'

/** Something that an agent, or a person beside it, does to a worktree or its repository. */
export type Deed =
  | { readonly kind: 'write'; readonly name: number; readonly content: number }
  | { readonly kind: 'delete' | 'make_executable' | 'make_plain' | 'empty_folder'; readonly name: number }
  | { readonly kind: 'link'; readonly name: number; readonly to: string }
  | { readonly kind: 'rename'; readonly name: number; readonly to: number }
  | { readonly kind: 'stage' | 'unstage' | 'hide' | 'skip'; readonly name: number }
  | { readonly kind: 'break_index' | 'break_attributes'; readonly how: number }
  | { readonly kind: 'nest'; readonly commits: boolean }
  | { readonly kind: 'git'; readonly does: GitDeed }

/** Each one alone, and with everything else, may leave git in the middle of something. */
export const gitDeeds = {
  stageAll: ['add', '-A'],
  commitAll: ['commit', '-qam', 'work'],
  commitStaged: ['commit', '-qm', 'work'],
  amend: ['commit', '-q', '--amend', '-m', 'again', '--allow-empty'],
  emptyCommit: ['commit', '-q', '--allow-empty', '-m', 'nothing'],
  detach: ['checkout', '-q', '--detach'],
  lookBack: ['checkout', '-q', 'HEAD~1'],
  ownBranch: ['checkout', '-q', 'yard/t5-fix'],
  newBranch: ['checkout', '-q', '-b', 'fix/other'],
  otherBranch: ['checkout', '-q', 'fix/other'],
  releaseBranch: ['checkout', '-q', 'release'],
  orphan: ['checkout', '-q', '--orphan', 'alone'],
  orphanBranch: ['checkout', '-q', 'alone'],
  hardReset: ['reset', '-q', '--hard', 'HEAD~1'],
  softReset: ['reset', '-q', '--soft', 'HEAD~1'],
  forceBranch: ['branch', '-f', 'yard/t5-fix', 'main'],
  deleteBranch: ['branch', '-D', 'yard/t5-fix'],
  deleteOther: ['branch', '-D', 'fix/other'],
  renameBranch: ['branch', '-M', 'yard/t5-fix', 'renamed'],
  mergeRelease: ['merge', '-q', '-m', 'merge', 'release'],
  mergeNoCommit: ['merge', '-q', '--no-commit', '--no-ff', 'release'],
  mergeMain: ['merge', '-q', '-m', 'merge', 'main'],
  mergeAlone: ['merge', '-q', '-m', 'merge', '--allow-unrelated-histories', 'alone'],
  rebaseRelease: ['rebase', '-q', 'release'],
  rebaseMain: ['rebase', '-q', '--autostash', 'main'],
  rebaseStop: ['rebase', '-q', '-x', 'false', 'HEAD~2'],
  rebaseApply: ['rebase', '-q', '--apply', 'release'],
  rebaseAbort: ['rebase', '--abort'],
  rebaseSkip: ['rebase', '--skip'],
  pickRelease: ['cherry-pick', 'release'],
  revert: ['revert', '--no-edit', 'HEAD'],
  revertOlder: ['revert', '--no-edit', 'HEAD~1'],
  bisect: ['bisect', 'start', 'HEAD', 'HEAD~2'],
  stash: ['stash', '-q', '-u'],
  pop: ['stash', 'pop', '-q'],
  clean: ['clean', '-fdq'],
  removeCached: ['rm', '-rq', '--cached', '.'],
} as const satisfies Record<string, readonly string[]>
export type GitDeed = keyof typeof gitDeeds | 'personCommits'

export const contents: readonly Buffer[] = [
  Buffer.from(''),
  Buffer.from('one\n'),
  Buffer.from('two\nlines\n'),
  Buffer.from('no line end'),
  Buffer.from('windows\r\nlines\r\n'),
  Buffer.from([0, 1, 2, 255, 254, 10, 0]),
  Buffer.from('caf\xe9 in latin1\n', 'latin1'),
  Buffer.from('<<<<<<< ours\nx\n=======\ny\n>>>>>>> theirs\n'),
  Buffer.from(`diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n`),
  Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n'),
  Buffer.alloc(70_000, 'long line '),
]

export const names: readonly Buffer[] = [
  ...[
    'a.txt',
    'b.txt',
    'A.txt',
    'src/c.ts',
    'src/deep/er/d.ts',
    'src',
    'new.txt',
    'with blank.txt',
    '.hidden',
    'ignored/x',
    'x.log',
  ],
  ...[
    'line\nend.txt',
    'tab\t"quote".txt',
    'ünï/çødé.txt',
    '-dash',
    ':(top)magic',
    '[id].tsx',
    '{a,b}',
    '.gitignore',
    'a\\b',
    '*',
  ],
]
  .map((name) => Buffer.from(name))
  .concat([Buffer.from('invalid\xff\xfe.txt', 'latin1')])

const name = fc.nat(names.length - 1)
const gitDeed = fc.constantFrom(...(Object.keys(gitDeeds) as GitDeed[]), 'personCommits' as const)

/** Files and git in about equal parts, the mischief rarer. */
export const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('write' as const), name, content: fc.nat(contents.length - 1) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('delete', 'make_executable', 'make_plain', 'empty_folder'), name }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('link' as const),
      name,
      to: fc.constantFrom('a.txt', 'src', 'nowhere', '/nonexistent/yard', '..'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rename' as const), name, to: name }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('stage', 'unstage', 'hide', 'skip'), name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('break_index', 'break_attributes'), how: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('nest' as const), commits: fc.boolean() }) },
  { weight: 14, arbitrary: fc.record({ kind: fc.constant('git' as const), does: gitDeed }) },
)
