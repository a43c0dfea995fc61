import { describe, expect, test } from 'vitest'
import type { YardView } from '../../../src/api/index.ts'
import { taskId } from '../../../src/kernel/index.ts'
import { openApiYard } from '../open-yard.ts'

type Asked = Parameters<YardView['clean']>[0]

describe('POST /clean', () => {
  test('asks for what is past its time, or for named tasks now, and tells what became of each', async () => {
    const asked: Asked[] = []
    const row = { task: taskId(1), path: '/home/workspaces/T1', kind: 'worktree', bytes: 4_096 } as const
    const rest = { done: 'would go', because: null, says: 'merged, or pushed', branch: null, patch: null } as const
    const clean: YardView['clean'] = async (input) => {
      asked.push(input)
      return [{ ...row, ...rest }]
    }
    await using yard = await openApiYard({ yard: { clean } })
    await yard.client.createTask({ dir: '/tmp', run: 'true' })
    expect(await yard.client.clean({ dry_run: true })).toEqual({
      workspaces: [
        {
          task: 1,
          folder: '/home/workspaces/T1',
          kind: 'worktree',
          bytes: 4_096,
          done: 'would_go',
          because: null,
          says: 'merged, or pushed',
          branch: null,
          patch: null,
        },
      ],
    })
    await yard.client.clean({ tasks: [1], when: 'now' })
    expect(asked).toEqual([
      { tasks: null, asked: 'time', act: 'look', actor: { by: 'Zoë' } },
      { tasks: [1], asked: 'person', act: 'remove', actor: { by: 'Zoë' } },
    ])
  })

  test('refuses tasks that are not there, `now` for everything, and unknown fields', async () => {
    await using yard = await openApiYard()
    await expect(yard.client.clean({ tasks: [99], when: 'now' })).rejects.toMatchObject({ code: 'API_NOT_FOUND' })
    await expect(yard.client.clean({ when: 'now' })).rejects.toMatchObject({ code: 'API_BAD_REQUEST' })
    const { status } = await yard.ask('/api/v1/clean', { method: 'POST', body: { all: true } })
    expect(status).toBe(400)
  })
})
