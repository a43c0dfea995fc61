import type { Play } from '../../../src/worker/rehearsal/scenario-schema.ts'
import { brokenText, type CodingTask } from '../coding-tasks/coding-task.ts'

/** A model whose every word is known, so that what the whole yard makes of it is known, too (worker-facts e.1). */
export interface ScriptedWorker {
  readonly name: string
  readonly does: string
  /** What it plays at one card; the first play whose words stand in the prompt is taken. */
  plays(task: CodingTask): readonly Play[]
}

/** How its card is called in a prompt, so that no name is part of another one's. */
export const cardOf = ({ name }: CodingTask): string => `[${name}]`

const read = ({ file }: CodingTask) => ({ tool: 'read', with: { path: file } })
/** By whole lines, line end included: what is mended already is not found again. */
const mend = (task: CodingTask) => ({
  tool: 'patch',
  with: { path: task.file, ...changedLines(brokenText(task), task.text) },
})

function changedLines(before: string, after: string): { readonly old: string; readonly new: string } {
  const [a, b] = [before.split('\n'), after.split('\n')]
  let top = 0
  while (a[top] === b[top]) top += 1
  let bottom = 0
  while (bottom < a.length - top && bottom < b.length - top && a.at(-1 - bottom) === b.at(-1 - bottom)) bottom += 1
  if (bottom + top === a.length) bottom -= 1 // a line that was taken away: the one after it tells the place
  const part = (lines: readonly string[]) => `${lines.slice(top, lines.length - bottom).join('\n')}\n`
  return { old: part(a), new: part(b) }
}

const check = ({ check }: CodingTask) => ({ tool: 'terminal', with: { command: check.run } })
const spoil = ({ file }: CodingTask) => ({
  tool: 'write',
  with: { path: `${file}.note`, content: 'looked at it\n' },
})
const block = { tool: 'block', with: { kind: 'needs_input', text: 'I cannot prove what I said.' } }
const complete = (result: string, more: object = {}) => ({ call: [{ tool: 'complete', with: { result, ...more } }] })

const oracle = (task: CodingTask) => [
  { call: [read(task)] },
  { call: [mend(task)] },
  { call: [check(task)] },
  complete(`${task.name} is mended, and its check passes.`),
]

const wall = { kind: 'status', status: 429, times: 3, retry_after: 0.2 } as const
const stall = { kind: 'stall', times: 2, after: 2 } as const
const money = {
  kind: 'status',
  status: 429,
  times: 'always',
  error: { message: 'You exceeded your current quota', type: 'insufficient_quota', code: 'insufficient_quota' },
} as const

/** The ten of the facts. */
export const scriptedWorkers = {
  oracle: {
    name: 'oracle',
    does: 'reads the file, mends it, runs the check and completes',
    plays: (task) => [{ when: cardOf(task), turns: oracle(task) }],
  },
  none: {
    name: 'null',
    does: 'completes at once',
    plays: (task) => [{ when: cardOf(task), turns: [complete('Done.')] }],
  },
  secondTry: {
    name: 'second try',
    does: 'mends nothing at first, and everything once it has read what the check said',
    plays: (task) => [
      { when: [cardOf(task), '# Earlier attempts'], turns: oracle(task) },
      { when: cardOf(task), turns: [{ call: [spoil(task)] }, complete('It looks right to me.')] },
    ],
  },
  walled: {
    name: 'walled',
    does: 'meets a rate limit in its first three calls',
    plays: (task) => [
      { when: cardOf(task), turns: oracle(task).map((turn, n) => (n === 0 ? { ...turn, faults: [wall] } : turn)) },
    ],
  },
  broke: {
    name: 'broke',
    does: 'has no money left',
    plays: (task) => [{ when: cardOf(task), turns: [{ say: 'never', faults: [money] }] }],
  },
  silent: {
    name: 'silent',
    does: 'does the work, says so, and never completes',
    plays: (task) => [
      {
        when: cardOf(task),
        turns: [{ call: [mend(task)] }, ...Array.from({ length: 3 }, () => ({ say: 'All done.', silent: true }))],
      },
    ],
  },
  hanging: {
    name: 'hanging',
    does: 'falls silent in mid-stream, twice',
    plays: (task) => [
      { when: cardOf(task), turns: oracle(task).map((turn, n) => (n === 0 ? { ...turn, faults: [stall] } : turn)) },
    ],
  },
  killed: {
    name: 'killed',
    does: 'works as the oracle does, until somebody kills it',
    plays: (task) => [
      {
        when: cardOf(task),
        turns: oracle(task).map((turn) => ({ ...turn, pace: '30ms' })),
      },
    ],
  },
  looper: {
    name: 'looper',
    does: 'runs the failing check again and again',
    plays: (task) => [{ when: cardOf(task), turns: Array.from({ length: 40 }, () => ({ call: [check(task)] })) }],
  },
  liar: {
    name: 'liar',
    does: 'completes with tasks that it says it has made, and that do not exist',
    plays: (task) => [
      {
        when: cardOf(task),
        turns: [complete('I made two tasks for the rest.', { created: [999_998, 999_999] }), { call: [block] }],
      },
    ],
  },
} as const satisfies Readonly<Record<string, ScriptedWorker>>
