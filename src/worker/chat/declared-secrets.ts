import { isSecretName } from '../../kernel/index.ts'

/** Values in a board worker's environment that its lane calls secrets, and those of variables that are named like one. */
export function declaredSecrets(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const named = (env.YARDMASTER_SECRET_NAMES ?? '').split(' ')
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && value !== '' && (named.includes(name) || isSecretName(name)) ? [value] : [],
  )
}
