import { isAbsolute, join } from 'node:path'
import type { CliDeps } from '../command.ts'

/** Where programs of this user keep what is configured: `$XDG_CONFIG_HOME`, else `~/.config`. */
export function configHome({ env }: Pick<CliDeps, 'env'>): string {
  const xdg = env.XDG_CONFIG_HOME
  return xdg !== undefined && isAbsolute(xdg) ? xdg : join(env.HOME ?? '/', '.config')
}
