import { readSecret, type YardConfig } from '../kernel/config/index.ts'
import { createRedactor, type Redactor } from '../kernel/index.ts'

/** A mask that is told the values of secrets only when something is to be masked. */
export interface LearningMask {
  readonly mask: Redactor
  /** Asks for every key, once; the mask knows them when it resolves. */
  learn(): Promise<void>
  /** The values that it knows so far. */
  known(): readonly string[]
  /** Whether `learn` has its answers. */
  knows(): boolean
}

/**
 * Masks the keys of all accounts, the secrets of all lanes, and whatever looks like a secret. A key that cannot be read masks nothing.
 *
 * A key's command may ask a person or take seconds: nothing should wait for it but what shows a worker's words. Until
 * `learn` the mask knows what looks like a secret.
 */
export function buildLearningMask(
  config: Pick<YardConfig, 'accounts' | 'lanes'>,
  env: Readonly<Record<string, string | undefined>>,
): LearningMask {
  let known: readonly string[] = []
  let redact = createRedactor(known)
  let learning: Promise<void> | undefined
  let isLearned = false
  return {
    mask: (text) => redact(text),
    learn() {
      learning ??= readKeys(config, env).then((keys) => {
        known = keys
        redact = createRedactor(keys)
        isLearned = true
      })
      return learning
    },
    known: () => known,
    knows: () => isLearned,
  }
}

async function readKeys(...[config, env]: Parameters<typeof buildLearningMask>): Promise<readonly string[]> {
  const places = [
    ...Object.values(config.accounts).map(({ key }) => key),
    ...Object.values(config.lanes).flatMap(({ secretEnv }) => Object.values(secretEnv)),
  ]
  const keys = await Promise.all(places.map((place) => readSecret(place, { env })))
  return keys.flatMap((secret) => (secret.ok && secret.value !== null ? [secret.value] : []))
}
