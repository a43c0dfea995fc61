import fc from 'fast-check'
import type { ArchiveChildren } from '../../src/board/archive.ts'
import type { CallKind, Move, StageKind } from '../../src/board/index.ts'
import type { VerdictCode } from '../../src/board/run-calls.ts'

const personVerbs = [
  'ready',
  'block',
  'unblock',
  'answer',
  'approve',
  'reject',
  'retry',
  'cancel',
  'stop',
  'unarchive',
] as const
type PersonVerb = (typeof personVerbs)[number]

/** One act of somebody. Numbers pick a card or run by their rest, so that a shrunk case stays a valid one. */
export type Act =
  | {
      do: 'add'
      board: 'a' | 'b'
      needs: { pick: number; when: 'done' | 'always' }[]
      key: string | null
      lane: 'command' | 'claude'
      folder: string
      draft: boolean
      priority: number
      waitMs: number
    }
  | { do: PersonVerb; pick: number }
  | { do: 'archive'; pick: number; children: ArchiveChildren | null }
  | { do: 'edit'; pick: number; priority: number; lane: 'command' | 'claude'; need: number; when: 'done' | 'always' }
  | { do: 'unlink'; pick: number }
  | { do: 'claim'; max: number }
  | { do: 'exit'; pick: number }
  | { do: 'settle' | 'release'; pick: number; to: Move['to']; lane: 'command' | 'claude' | null; waitMs: number }
  /** The process of a stage begins, or has ended. */
  | { do: 'stage' | 'over'; pick: number; stage: StageKind }
  /** A run, open or over, says something about its own end. */
  | { do: 'call'; pick: number; kind: CallKind; verdict: VerdictCode | null; on: number }
  | { do: 'hub' }
  | { do: 'hold' | 'lift'; scope: 'all' | 'lane' | 'board' }
  | { do: 'wall' | 'serve' }
  | { do: 'wait'; ms: number }

const pick = fc.nat(50)
const lane = fc.constantFrom('command' as const, 'claude' as const)
const when = fc.constantFrom('done' as const, 'always' as const)
const priority = fc.integer({ min: -2, max: 2 })
export const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      board: fc.constantFrom('a' as const, 'b' as const),
      needs: fc.oneof(
        fc.array(fc.record({ pick, when }), { maxLength: 0 }),
        fc.array(fc.record({ pick, when }), { maxLength: 3 }),
      ),
      key: fc.constantFrom(null, null, 'k1', 'k2'),
      lane,
      folder: fc.constantFrom('', '', '/x', '/y'),
      draft: fc.constantFrom(false, false, false, false, false, true),
      priority,
      waitMs: fc.constantFrom(0, 0, 0, 100),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom(...personVerbs, 'answer' as const, 'answer' as const, 'approve' as const, 'reject' as const),
      pick,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('edit' as const), pick, priority, lane, need: pick, when }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('unlink' as const), pick }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('claim' as const), max: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 14, arbitrary: fc.record({ do: fc.constant('exit' as const), pick }) },
  {
    weight: 14,
    arbitrary: fc.record({
      do: fc.constantFrom(...Array<'settle'>(9).fill('settle'), 'release' as const),
      pick,
      to: fc.constantFrom(
        'done' as const,
        'done' as const,
        'failed' as const,
        'blocked' as const,
        'review' as const,
        'review' as const,
        'review' as const,
        'back' as const,
        'cancelled' as const,
        'approved' as const,
        'rejected' as const,
        'rejected' as const,
      ),
      lane: fc.constantFrom('command' as const, 'claude' as const, null),
      waitMs: fc.constantFrom(0, 50),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      pick,
      verdict: fc.constantFrom(null, null, 'approved' as const, 'changes_requested' as const),
      kind: fc.constantFrom(
        'complete' as const,
        'complete' as const,
        'block' as const,
        'review' as const,
        'wait' as const,
      ),
      on: pick,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom('stage' as const, 'over' as const),
      pick,
      stage: fc.constantFrom('prepare' as const, 'work' as const, 'work' as const, 'check' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('archive' as const),
      pick,
      children: fc.constantFrom(null, 'release' as const, 'wait' as const, 'archive' as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'hub' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('hold' as const, 'lift' as const),
      scope: fc.constantFrom('all' as const, 'lane' as const, 'board' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('wall' as const, 'serve' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(10, 60, 200) }) },
)
