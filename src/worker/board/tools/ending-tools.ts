import { briefly, type Grant, type Redactor } from '../../../kernel/index.ts'
import type { Tool, ToolResult } from '../../tools/tool.ts'
import type { BoardLink, FinishCall } from '../board-link.ts'
import { mostHandedBack, readTaskIds, refusedCall } from './board-tool.ts'

interface Deps {
  readonly link: Pick<BoardLink, 'finish'>
  readonly grants: readonly Grant[]
  /** Paths of files for the report, where the hub could not be told of them. */
  readonly handedBack: string[]
  /** For what is cut: half a secret would not be found any more. */
  readonly redact: Redactor
}

/** The work is done. The hub looks at what it names, the files and the tasks, before it takes the word. */
export const createCompleteTool = (deps: Deps): Tool => ({
  name: 'complete',
  means: 'End: the work is done, and you have checked it.',
  fields: [
    { name: 'result', type: 'string', means: 'what you did, what is open', required: true },
    { name: 'data', type: 'json', means: 'JSON for later tasks', required: false },
    { name: 'artifacts', type: 'strings', means: 'paths of files for people', required: false },
    ...(deps.grants.includes('create')
      ? ([{ name: 'created', type: 'strings', means: 'tasks you created, T5', required: false }] as const)
      : []),
  ],
  effect: 'writes',
  run: async ({ result, data, artifacts, created = [] }) => {
    const made = readTaskIds(created as readonly string[])
    if (!made.ok) return refusedCall('complete', made.says)
    const files = artifacts as readonly string[] | undefined
    const ended = await finish(deps, {
      call: 'complete',
      result: String(result),
      ...(data === undefined ? {} : { data }),
      ...(files === undefined ? {} : { artifacts: files }),
      ...(made.ids.length === 0 ? {} : { created: made.ids }),
    })
    if (ended.ends?.delivery === 'board_unreachable') {
      deps.handedBack.push(...(files ?? []).slice(0, mostHandedBack - deps.handedBack.length))
    }
    return ended
  },
})

/** It cannot go on: a person must answer or allow something, or another task must be done first. */
export const createBlockTool = (deps: Deps): Tool => ({
  name: 'block',
  means: 'End: you cannot go on, and are started again when it is settled.',
  fields: [
    {
      name: 'kind',
      type: 'string',
      means: 'a question, leave to ask for, or another task that must be done first',
      required: true,
      oneOf: ['needs_input', 'approval', 'dependency'],
    },
    { name: 'text', type: 'string', means: 'the question, or why: people see only this', required: true },
    { name: 'task', type: 'string', means: 'for dependency: T5', required: false },
  ],
  effect: 'writes',
  run: async ({ kind, text, task = '' }) => {
    if (kind !== 'dependency') {
      const code = kind === 'approval' ? 'needs_approval' : 'needs_input'
      return finish(deps, { call: 'block', text: String(text), code })
    }
    if (task === '') return refusedCall('block', 'kind dependency needs task: the one that must be done first')
    const on = readTaskIds([String(task)])
    return on.ok
      ? finish(deps, { call: 'wait', task: on.ids[0] ?? 0, text: String(text) })
      : refusedCall('block', on.says)
  },
})

/** Done as far as it can be seen, and somebody must look at it. */
export const createReviewTool = (deps: Deps): Tool => ({
  name: 'review',
  means: 'End: done, but a person must look at it first.',
  fields: [{ name: 'text', type: 'string', means: 'what you did and what to look at', required: true }],
  effect: 'writes',
  run: ({ text }) => finish(deps, { call: 'review', text: String(text) }),
})

async function finish({ link, redact }: Deps, call: FinishCall): Promise<ToolResult> {
  const answer = await link.finish(call)
  switch (answer.kind) {
    case 'ended': {
      const { end } = answer
      const heard = end.delivery === 'acknowledged' ? 'the board has it' : 'the board could not be reached'
      return { text: heard, summary: `${end.call}: ${heard}: ${briefly(redact(end.text))}`, outcome: 'ok', ends: end }
    }
    case 'refused':
    case 'over':
      return refusedCall(call.call, answer.says)
  }
}
