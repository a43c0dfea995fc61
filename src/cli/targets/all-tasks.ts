import type { Client } from '../../api/client/index.ts'
import type { ListTasksQuery, TaskView } from '../../api/contract/index.ts'

const rowsAtOnce = 1_000

/** The tasks of a query, page by page, so that a board of any size can be walked. */
export async function* taskPages(client: Client, query: ListTasksQuery): AsyncGenerator<readonly TaskView[]> {
  for (let after: string | null | undefined; after !== null; ) {
    const page: Awaited<ReturnType<Client['listTasks']>> = await client.listTasks({
      ...query,
      limit: rowsAtOnce,
      ...(after === undefined ? {} : { after }),
    })
    yield page.rows
    after = page.next
  }
}

/** Every task of a query. */
export async function allTasks(client: Client, query: ListTasksQuery): Promise<readonly TaskView[]> {
  const tasks: TaskView[] = []
  for await (const rows of taskPages(client, query)) tasks.push(...rows)
  return tasks
}
