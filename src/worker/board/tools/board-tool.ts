import type { RunClient } from '../../../api/client/index.ts'
import { parseId, type Redactor, YardError } from '../../../kernel/index.ts'
import type { ToolOrder, ToolResult } from '../../tools/tool.ts'
import { type Asking, type HubLine, hubRetryMs, isSurelyNotDone } from '../hub-line.ts'

/** What every board tool works with. */
export interface BoardToolDeps {
  readonly line: HubLine
  /** For what is sent, because it is kept. */
  readonly redact: Redactor
  /** For what the model reads. */
  readonly maskKnown: Redactor
}

/** One question to the hub as a tool's result: what it refuses is told to the model, who may mend it. */
export async function askBoard<Answer>(
  { line, maskKnown }: Pick<BoardToolDeps, 'line' | 'maskKnown'>,
  { name, order, repeat }: { readonly name: string; readonly order: ToolOrder; readonly repeat?: Asking['repeat'] },
  {
    call,
    says,
  }: {
    readonly call: (client: RunClient, signal: AbortSignal) => Promise<Answer>
    readonly says: (answer: Answer) => { readonly text: string; readonly summary: string }
  },
): Promise<ToolResult> {
  try {
    const how = { retryForMs: hubRetryMs, signal: order.signal, ...(repeat === undefined ? {} : { repeat }) }
    const { text, summary } = says(await line.ask(how, call))
    return { text: maskKnown(text), summary: maskKnown(summary), outcome: 'ok' }
  } catch (fault) {
    if (!(fault instanceof YardError)) throw fault
    const unsure =
      repeat === 'not_sent' && isGone(fault) && !isSurelyNotDone(fault)
        ? ' It is not known whether it was done: look with list first.'
        : ''
    return refusedCall(name, `${fault.message}. Fix: ${fault.fix}.${unsure}`)
  }
}

/** As many files as a report may name. */
export const mostHandedBack = 100

export const isGone = ({ code, status }: YardError): boolean => status >= 500 || code.startsWith('CLIENT_')

export const refusedCall = (name: string, says: string): ToolResult => ({
  text: `error: ${says}`,
  summary: `${name} refused: ${says}`,
  outcome: 'failed',
})

/** The ids behind `T5` or `5`; or the first text that is none. */
export function readTaskIds(
  texts: readonly string[],
): { readonly ok: true; readonly ids: readonly number[] } | { readonly ok: false; readonly says: string } {
  const ids: number[] = []
  for (const text of texts) {
    const id = parseId('T', text.trim())
    if (id === undefined) return { ok: false, says: `${JSON.stringify(text.slice(0, 60))} is no task id; write T5` }
    ids.push(id)
  }
  return { ok: true, ids }
}
