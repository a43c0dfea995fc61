import { isFields } from '../../../kernel/index.ts'

const hosts: readonly (readonly [end: string, provider: string])[] = [
  ['api.openai.com', 'openai'],
  ['openai.azure.com', 'azure'],
  ['services.ai.azure.com', 'azure'],
  ['azure-api.net', 'azure'],
  ['openrouter.ai', 'openrouter'],
  ['api.anthropic.com', 'anthropic'],
  ['googleapis.com', 'google'],
  ['api.groq.com', 'groq'],
  ['api.mistral.ai', 'mistral'],
  ['api.deepseek.com', 'deepseek'],
  ['api.x.ai', 'xai'],
  ['api.together.xyz', 'together'],
  ['api.together.ai', 'together'],
  ['api.fireworks.ai', 'fireworks'],
  ['api.cerebras.ai', 'cerebras'],
  ['api.z.ai', 'zai'],
  ['api.moonshot.ai', 'moonshot'],
  ['api.moonshot.cn', 'moonshot'],
  ['wandb.ai', 'wandb'],
  ['cloudflare.com', 'cloudflare'],
]

/**
 * Whose answer it is: by the host it was asked of, else by marks that a provider leaves in headers and body, since most
 * are also asked through addresses of one's own. Null where nothing tells.
 */
export function guessProvider(told: {
  readonly baseUrl: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly json: unknown
  readonly message: string
}): string | null {
  return byHost(told.baseUrl) ?? byHeaders(told.headers) ?? byBody(told.json, told.message)
}

function byHost(baseUrl: string | undefined): string | undefined {
  const host = /^https?:\/\/(?:[^/@]*@)?([^/:?#]+)/i.exec(baseUrl ?? '')?.[1]?.toLowerCase()
  if (host === undefined) return undefined
  return hosts.find(([end]) => host === end || host.endsWith(`.${end}`))?.[1]
}

function byHeaders(headers: Readonly<Record<string, string>>): string | undefined {
  if (headers['apim-request-id'] !== undefined || headers['x-ms-region'] !== undefined) return 'azure'
  if (headers['x-litellm-call-id'] !== undefined || headers['x-litellm-version'] !== undefined) return 'litellm'
  if (headers['x-groq-region'] !== undefined) return 'groq'
  if (headers['openai-processing-ms'] !== undefined || headers['openai-version'] !== undefined) return 'openai'
  if (headers['anthropic-organization-id'] !== undefined) return 'anthropic'
  return headers.server === 'llama.cpp' ? 'llama.cpp' : undefined
}

function byBody(json: unknown, message: string): string | null {
  if (message.startsWith('litellm.')) return 'litellm'
  const top: unknown = Array.isArray(json) ? json[0] : json
  if (!isFields(top)) return null
  const { error } = top
  if (top.type === 'error' && isFields(error)) return 'anthropic'
  if (top.object === 'error' && typeof top.message === 'string')
    return typeof top.code === 'number' ? 'vllm' : 'mistral'
  if (!isFields(error)) return null
  if (isFields(error.metadata) && typeof error.code === 'number') return 'openrouter'
  return Array.isArray(error.details) && typeof error.status === 'string' ? 'google' : null
}
