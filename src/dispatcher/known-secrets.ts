import { createRedactor, isSecretName, type Redactor } from '../kernel/index.ts'
import type { YardDeps } from './deps.ts'
import { keptBack } from './kept-back.ts'
import type { RunSecrets } from './read-secret.ts'
import type { RunPlan } from './run-plan.ts'

/**
 * The mask for all that is kept of an attempt: what it was given, and what the hub has learned of other accounts and lanes, however
 * late it was learned. An agent can find a key file that was not meant for it.
 */
export function createRunMask(
  deps: Pick<YardDeps, 'config' | 'env' | 'learnedSecrets'>,
  plan: RunPlan,
  secrets: RunSecrets,
): Redactor {
  const own = knownSecrets(deps, plan, secrets)
  let learned = deps.learnedSecrets()
  let mask = createRedactor([...own, ...learned])
  return (text) => {
    const now = deps.learnedSecrets()
    if (now !== learned) {
      learned = now
      mask = createRedactor([...own, ...learned])
    }
    return mask(text)
  }
}

/**
 * Values that are known without asking for any: its account's key and its lane's secrets as they were read, variables named like a
 * secret, and what the hub's own variables hold for other accounts and lanes.
 */
export function knownSecrets(
  { config, env }: Pick<YardDeps, 'config' | 'env'>,
  plan: RunPlan,
  { key, env: secretEnv }: RunSecrets,
): readonly string[] {
  const passes = config.lanes[plan.lane]?.passEnv ?? []
  const passed = passes.length === 0 ? {} : env // masking one that was not passed on after all harms nobody
  const named = Object.entries({ ...passed, ...plan.env }).filter(([name]) => isSecretName(name))
  const values = [
    key?.value,
    ...Object.values(secretEnv),
    ...named.map(([, value]) => value),
    ...keptBack({ config, env }), // whoever it was that told it
  ]
  return values.filter((value): value is string => value != null)
}
