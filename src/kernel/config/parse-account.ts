import { resolve } from 'node:path'
import { builtInBaseUrl } from '../index.ts'
import type { WrittenAccount } from './config-schema.ts'
import type { AccountConfig } from './yard-config.ts'

/** Exists unwritten, for the built-in lane `chat` and for chat lanes of files that write no account. */
export const openai: AccountConfig = {
  baseUrl: builtInBaseUrl,
  key: { env: 'OPENAI_API_KEY' },
  slots: null,
}

/** An account that has no fault. */
export function buildAccount(
  name: string,
  { base_url, key, slots, prices }: WrittenAccount,
  folder: string,
): AccountConfig {
  const secret = key !== undefined && key !== 'none' && 'file' in key ? { file: resolve(folder, key.file) } : key
  // Its key is built in as long as its server is: no other one is ever shown it.
  const builtIn = name === 'openai' && base_url === undefined ? openai.key : 'none'
  return {
    baseUrl: base_url ?? builtInBaseUrl,
    key: secret ?? builtIn,
    slots: slots ?? null,
    ...(prices === undefined ? {} : { prices }),
  }
}
