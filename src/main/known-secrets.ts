import { readSecret, type YardConfig } from '../kernel/config/index.ts'
import { createRedactor, type Redactor } from '../kernel/index.ts'

/** Masks the keys of all accounts and whatever looks like a secret. A key that cannot be read now masks nothing. */
export async function buildRedactor(
  config: Pick<YardConfig, 'accounts'>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Redactor> {
  const keys = await Promise.all(Object.values(config.accounts).map(({ key }) => readSecret(key, { env })))
  return createRedactor(keys.flatMap((secret) => (secret.ok && secret.value !== null ? [secret.value] : [])))
}
