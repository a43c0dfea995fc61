import { expect, test } from 'vitest'
import type { NewTaskBody } from '../../../src/api/contract/index.ts'
import { openApiYard } from '../open-yard.ts'

const card: NewTaskBody = { dir: '/srv/shop', run: 'npm test' }

test('fifty cards that are added at one moment wait for the disk together; one that is refused is told alone', async () => {
  await using yard = await openApiYard()
  const client = yard.api.connect('Zoë')
  let commits = 0
  yard.board.onEvents(new AbortController().signal, () => {
    commits += 1
  })
  const answers = await Promise.allSettled(
    // Without a network between, so that how many arrive in one turn of the loop is not the machine's to say.
    Array.from({ length: 50 }, (_, i) =>
      client.createTask({
        ...card,
        title: `card ${i}`,
        ...(i % 10 === 0 ? { needs: [{ task: 999, when: 'done' }] } : {}),
      }),
    ),
  )
  const refused = answers.filter(({ status }) => status === 'rejected')
  expect(refused.map((answer) => answer.status === 'rejected' && answer.reason.code)).toEqual(
    Array(5).fill('BOARD_NO_TASK'),
  )
  const made = await yard.client.listTasks({ limit: 100 })
  const titles = made.rows.map(({ title }) => title)
  expect(new Set(titles).size).toBe(45)
  expect(titles).not.toContain('card 10')
  expect(commits).toBeLessThan(10)
})
