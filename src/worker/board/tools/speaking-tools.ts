import { briefly, type Grant } from '../../../kernel/index.ts'
import type { Tool, ToolField } from '../../tools/tool.ts'
import { askBoard, type BoardToolDeps, readTaskIds, refusedCall } from './board-tool.ts'

interface Deps extends BoardToolDeps {
  readonly grants: readonly Grant[]
}

const longestNote = 500

/** A remark on the worker's own task, which people and the next attempt read; on another one where that is granted. */
export const createCommentTool = (deps: Deps): Tool => ({
  name: 'comment',
  means: 'Comment on your task, for people and later attempts.',
  fields: [
    { name: 'text', type: 'string', means: 'text', required: true },
    ...granted(deps, 'comment', { name: 'task', type: 'string', means: 'another task, T5', required: false }),
  ],
  effect: 'writes',
  run: async ({ text, task }, order) => {
    const on = readTaskIds(task === undefined || task === '' ? [] : [String(task)])
    if (!on.ok) return refusedCall('comment', on.says)
    const said = deps.redact(String(text))
    return askBoard(
      deps,
      { name: 'comment', order, repeat: 'not_sent' },
      {
        call: (client, signal) => client.comment(said, on.ids[0], signal),
        says: () => ({ text: 'commented', summary: `comment: ${briefly(said)}` }),
      },
    )
  },
})

/** How far it has come, for whoever watches. That the worker lives is said without it. */
export const createHeartbeatTool = (deps: BoardToolDeps): Tool => ({
  name: 'heartbeat',
  means: 'Tell people how far you are in long work.',
  fields: [{ name: 'note', type: 'string', means: 'one line', required: true }],
  effect: 'writes',
  run: (args, order) => {
    const note = deps.redact(String(args.note)).slice(0, longestNote)
    return askBoard(
      deps,
      { name: 'heartbeat', order },
      {
        call: (client, signal) => client.heartbeat(note, signal),
        says: () => ({ text: 'noted', summary: `heartbeat: ${briefly(note)}` }),
      },
    )
  },
})

/** A task of the same board, as a draft where its lane does not let it start: the answer says which. */
export const createCreateTool = (deps: Deps): Tool => ({
  name: 'create',
  means: 'Create a task, at most 20. A draft waits for a person to start it.',
  fields: [
    {
      name: 'prompt',
      type: 'string',
      means: 'all of it: its worker knows nothing else',
      required: true,
    },
    { name: 'title', type: 'string', means: 'one line', required: false },
    { name: 'needs', type: 'strings', means: 'tasks to be done first, T5', required: false },
    ...granted(deps, 'any_lane', { name: 'lane', type: 'string', means: 'another lane', required: false }),
  ],
  effect: 'writes',
  run: async ({ prompt, title, needs = [], lane }, order) => {
    const before = readTaskIds(needs as readonly string[])
    if (!before.ok) return refusedCall('create', before.says)
    const body = {
      prompt: deps.redact(String(prompt)),
      ...(title === undefined || title === '' ? {} : { title: deps.redact(String(title)) }),
      ...(lane === undefined || lane === '' ? {} : { lane: String(lane) }),
      ...(before.ids.length === 0 ? {} : { needs: [...before.ids] }),
    }
    return askBoard(
      deps,
      { name: 'create', order, repeat: 'not_sent' },
      {
        call: (client, signal) => client.create(body, signal),
        says: ({ id, title, lane, status }) => {
          const what = `T${id} ${title} (lane ${lane}, ${status === 'triage' ? 'a draft' : status})`
          return { text: `created ${what}`, summary: `create: ${what}` }
        },
      },
    )
  },
})

/** A need between two tasks of the same board. */
export const createLinkTool = (deps: BoardToolDeps): Tool => ({
  name: 'link',
  means: 'Let a task wait for another.',
  fields: [
    { name: 'task', type: 'string', means: 'T5, which waits', required: true },
    { name: 'needs', type: 'string', means: 'T6, done first', required: true },
  ],
  effect: 'writes',
  run: async ({ task, needs }, order) => {
    const ids = readTaskIds([String(task), String(needs)])
    if (!ids.ok) return refusedCall('link', ids.says)
    const [waiting = 0, first = 0] = ids.ids
    return askBoard(
      deps,
      { name: 'link', order },
      {
        call: (client, signal) => client.link({ task: waiting, needs: first }, signal),
        says: () => ({ text: `T${waiting} waits for T${first}`, summary: `link: T${waiting} waits for T${first}` }),
      },
    )
  },
})

const granted = ({ grants }: Deps, grant: Grant, field: ToolField): readonly ToolField[] =>
  grants.includes(grant) ? [field] : []
