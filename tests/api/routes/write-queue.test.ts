import { expect, test } from 'vitest'
import type { NewTaskBody } from '../../../src/api/contract/index.ts'
import { openApiYard } from '../open-yard.ts'

const card: NewTaskBody = { dir: '/srv/shop', run: 'npm test' }

test('fifty clients that add cards at one moment wait for the disk together; one whose card is refused is told alone', async () => {
  await using yard = await openApiYard()
  let commits = 0
  yard.board.onEvents(new AbortController().signal, () => {
    commits += 1
  })
  const posts = Array.from({ length: 50 }, (_, i) =>
    // By HTTP, each on a connection of its own.
    yard.ask('/api/v1/tasks', {
      method: 'POST',
      body: { ...card, title: `card ${i}`, ...(i % 10 === 0 ? { needs: [{ task: 999, when: 'done' }] } : {}) },
    }),
  )
  const answers = await Promise.all(posts)
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(45)
  expect(answers.filter(({ status }) => status === 404)).toHaveLength(5)
  const made = await yard.client.listTasks({ limit: 100 })
  const titles = made.rows.map(({ title }) => title)
  expect(new Set(titles).size).toBe(45)
  expect(titles).not.toContain('card 10')
  expect(commits).toBeLessThan(45)
})
