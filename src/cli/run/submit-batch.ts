import type { Client } from '../../api/client/index.ts'
import type { NewBatchBody } from '../../api/contract/index.ts'
import { YardError } from '../../kernel/index.ts'

/** Hands a batch over. What is refused is named by the key of its task, as people wrote it, and not by its place in the body. */
export async function submitBatch(client: Client, body: NewBatchBody): ReturnType<Client['submitBatch']> {
  try {
    return await client.submitBatch(body)
  } catch (fault) {
    if (!(fault instanceof YardError)) throw fault
    const { code, status, fix, values } = fault
    const message = fault.message.replace(/^(\s*)tasks\[(\d+)\]/gm, (written, space: string, index: string) => {
      const key = body.tasks[Number(index)]?.key
      return key === undefined ? written : `${space}tasks.${key}`
    })
    throw message === fault.message ? fault : new YardError({ code, status, message, fix, values, cause: fault })
  }
}
