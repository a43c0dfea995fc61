import { isSecretName } from '../kernel/index.ts'
import type { YardDeps } from './deps.ts'
import { keptBack } from './kept-back.ts'
import type { RunSecrets } from './read-secret.ts'
import type { RunPlan } from './run-plan.ts'

/** Values that must not stand in anything that is kept of an attempt: its account's key, its lane's secrets, variables named like one, and
 * what the hub's own variables hold for other accounts and lanes. */
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
