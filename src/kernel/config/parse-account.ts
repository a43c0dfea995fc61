import { resolve } from 'node:path'
import { builtInBaseUrl, isFields, maskSecretShapes } from '../index.ts'
import type { WrittenAccount } from './config-schema.ts'
import type { Path } from './fault.ts'
import type { AccountConfig } from './yard-config.ts'

/** Exists unwritten, for the built-in lane `chat` and for chat lanes of files that write no account. */
export const openai: AccountConfig = {
  baseUrl: builtInBaseUrl,
  key: { env: 'OPENAI_API_KEY' },
  slots: null,
}

/** The rules of an account that has the right shape. Its address is stored with each attempt, and shown. */
export function accountFaults(path: Path, account: unknown) {
  const address = isFields(account) ? account.base_url : undefined
  if (typeof address !== 'string' || !holdsCredential(address)) return []
  return [{ path: [...path, 'base_url'], says: 'holds a credential, which would be stored', fix: 'say it as key' }]
}

function holdsCredential(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { username, password } = new URL(address)
  return username !== '' || password !== '' || maskSecretShapes(address) !== address
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
