// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of ours look like it
// biome-ignore-all lint/suspicious/noThenProperty: the public field of an exit rule
import fc from 'fast-check'
import type { SetupSpec, StageSpec, TaskSettings, WorktreeSpec } from '../../src/board/index.ts'

type Arbitraries = { readonly [Field in keyof TaskSettings]-?: fc.Arbitrary<Exclude<TaskSettings[Field], undefined>> }

const command = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => `run ${text.replaceAll('\0', '')}`),
  fc.constant('none'),
  fc.array(
    fc.string({ unit: 'grapheme', maxLength: 9 }).map((text) => text.replaceAll('\0', '')),
    {
      minLength: 1,
      maxLength: 3,
    },
  ),
)
const timeoutMs = fc.integer({ min: 1, max: 1e9 })
const globs = fc.array(fc.constantFrom('src/**', 'a b', '.env*', '!src/[id].ts', 'x/..y', 'ü'), {
  minLength: 1,
  maxLength: 3,
})
const stage: fc.Arbitrary<StageSpec> = some({ run: command }, { timeoutMs })
const setup: fc.Arbitrary<SetupSpec> = some({ run: command }, { timeoutMs, key: globs })
const worktree: fc.Arbitrary<WorktreeSpec> = some(
  { kind: fc.constant('worktree' as const) },
  {
    repo: fc.constantFrom('/no/such/repo', 'https://example.org/x.git', 'git@host:x', 'file:///x'),
    ref: fc.constantFrom('main', 'v1~2', '${{ needs.base.branch }}'),
    setup: fc.oneof(fc.constant(null), setup),
    copy: globs,
    fresh: fc.boolean(),
    depth: fc.integer({ min: 1, max: 99 }),
  },
)

/** Any value that a setting may have, by its name. */
export const settingValues: Arbitraries = {
  timeoutMs,
  stallMs: fc.oneof(fc.constant('off' as const), timeoutMs),
  graceMs: timeoutMs,
  attempts: fc.integer({ min: 1, max: 100 }),
  rerun: fc.constantFrom('auto', 'ask'),
  env: fc.dictionary(fc.constantFrom('CI', 'LANG', 'PORT'), fc.string({ unit: 'grapheme', maxLength: 9 })),
  workspace: fc.oneof(
    fc.constantFrom({ kind: 'here' as const }, { kind: 'scratch' as const }),
    fc.boolean().map((shared) => ({ kind: 'dir' as const, path: '/no/such/folder', shared })),
    worktree,
  ),
  exits: fc.constantFrom(
    [],
    [{ code: [75], then: 'later' } as const, { output: 'quota', then: 'fail', why: 'so' } as const],
  ),
  keeps: fc.boolean(),
  memoryBytes: fc.oneof(fc.constant('off' as const), fc.integer({ min: 2 ** 24, max: 2 ** 36 })),
  logBytes: fc.integer({ min: 2 ** 24, max: 2 ** 33 }),
  check: fc.oneof(fc.constant(null), stage),
  mayChange: globs,
  expect: fc.constantFrom('any', 'change'),
  review: fc.oneof(fc.constantFrom('none' as const, 'person' as const), fc.constant({ lane: 'claude' })),
  budgetTokens: fc.oneof(fc.constant('off' as const), fc.integer({ min: 1, max: 1e12 })),
  budgetUsd: fc.oneof(fc.constant('off' as const), fc.constantFrom(0.01, 2, 1_000)),
}

/** Some of the settings, each with any value. */
export const anySettings: fc.Arbitrary<TaskSettings> = some({}, settingValues)

/** A record with some of its fields: what is absent is absent, not undefined. */
function some<Always extends object, Maybe extends object>(
  always: { readonly [Field in keyof Always]: fc.Arbitrary<Always[Field]> },
  maybe: { readonly [Field in keyof Maybe]: fc.Arbitrary<Maybe[Field]> },
): fc.Arbitrary<Always & Partial<Maybe>> {
  const names = Object.keys(always)
  return fc.record({ ...always, ...maybe } as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: names,
  }) as unknown as fc.Arbitrary<Always & Partial<Maybe>>
}
