import type { ResolvedSettings } from '../../board/index.ts'
import type { LaneConfig } from '../../kernel/config/index.ts'
import { builtInBaseUrl } from '../../kernel/index.ts'
import { builtInChatPlan, type ChatPlan, type ChatSettings } from '../../runs/index.ts'

/** The file of one attempt. Its budget and its time are the task's; whether a key is needed shows when it is read. */
export function buildChatSettings(
  plan: Pick<ResolvedSettings, 'timeoutMs' | 'budgetTokens' | 'budgetUsd'> & Pick<ChatSettings, 'grants'>,
  chat: ChatPlan,
  { keyless, lastReason, continues }: Pick<ChatSettings, 'keyless' | 'lastReason' | 'continues'>,
): ChatSettings {
  const { timeoutMs, budgetTokens, budgetUsd, grants } = plan
  return {
    schema: 1,
    ...chat,
    keyless,
    runMs: timeoutMs,
    budget: {
      tokens: budgetTokens === 'off' ? null : budgetTokens,
      usd: budgetUsd === 'off' ? null : budgetUsd,
    },
    grants,
    continues,
    ...(lastReason == null ? {} : { lastReason }),
  }
}

/** Of a plan that a version before has stored: it knew a model, an address and a system prompt. */
export function chatPlanOfBefore(stored: object): ChatPlan | null {
  const { uses, model, baseUrl, system } = stored as {
    readonly uses: LaneConfig['uses']
    readonly model?: string | null
    readonly baseUrl?: string | null
    readonly system?: string | null
  }
  if (uses !== 'chat') return null
  return {
    ...builtInChatPlan,
    models: model == null ? [] : [model],
    baseUrl: baseUrl ?? builtInBaseUrl,
    system: system ?? null,
  }
}
