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

/** A mask that is told the values of secrets only when something is to be masked. */
export interface LearningMask {
  readonly mask: Redactor
  /** Asks for every key, once; the mask knows them when it resolves. */
  learn(): Promise<void>
}

/**
 * For a process that starts no worker: most of its commands show nothing that a worker wrote, and a key's command may ask
 * a person or take seconds. Until `learn` the mask knows what looks like a secret.
 */
export function buildLearningMask(...yard: Parameters<typeof buildRedactor>): LearningMask {
  let known = createRedactor([])
  let learning: Promise<void> | undefined
  return {
    mask: (text) => known(text),
    learn() {
      learning ??= buildRedactor(...yard).then((redactor) => {
        known = redactor
      })
      return learning
    },
  }
}
