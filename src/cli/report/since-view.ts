import type { BatchReportView } from '../../api/contract/index.ts'

/** The same batch with only those tasks in it that changed since then, or have not ended yet. Its counts stay the batch's. */
export function sinceView(view: BatchReportView, sinceMs: number): BatchReportView {
  const isNews = (iso: string | null) => iso === null || Date.parse(iso) >= sinceMs
  return {
    ...view,
    tasks: view.tasks.filter((task) => isNews(task.settled_at) || isNews(task.changed_at)),
    accounts_held: view.accounts_held.filter(({ to }) => isNews(to)),
    yard: view.yard.filter(({ at }) => isNews(at)),
  }
}
