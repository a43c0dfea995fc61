import { isAbsolute, join, resolve } from 'node:path'

export interface HomeSearch {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute. */
  readonly cwd: string
  /** The user's home folder, absolute. */
  readonly userHome: string
}

/**
 * The home to work in: `$YARDMASTER_HOME` (from here where relative), else `$XDG_STATE_HOME/yardmaster`, else
 * `~/.local/state/yardmaster` (files-and-cli section 5). A relative `$XDG_STATE_HOME` is ignored, as its specification
 * asks for.
 */
export function findHome({ env, cwd, userHome }: HomeSearch): string {
  const own = env.YARDMASTER_HOME
  if (own !== undefined && own !== '') return resolve(cwd, own)
  const xdg = env.XDG_STATE_HOME
  const states = xdg !== undefined && isAbsolute(xdg) ? xdg : join(userHome, '.local', 'state')
  return join(states, 'yardmaster')
}
