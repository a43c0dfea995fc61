import { execa } from 'execa'
import { systemRandom } from '../../../../kernel/index.ts'
import { buildCommandEnvironment, type CommandSurroundings } from '../../terminal/command-environment.ts'

export interface FinderEnd {
  /** Undefined: it was ended by the signal, or by us because enough was found. */
  readonly code: number | undefined
  readonly stderr: string
}

const stderrChars = 2_000

/**
 * Starts a program that finds (ripgrep, git) with input at its end and the environment of a command, and hands on what it
 * prints. `heard` says when enough was heard. Undefined where the program is not on the worker's PATH.
 */
export async function startFinder(
  surroundings: CommandSurroundings,
  {
    file,
    args,
    cwd,
    signal,
  }: { readonly file: string; readonly args: readonly string[]; readonly cwd: string; readonly signal: AbortSignal },
  heard: (chunk: Buffer) => 'more' | 'enough',
): Promise<FinderEnd | undefined> {
  const enough = new AbortController()
  const child = execa(file, args, {
    cwd,
    env: buildCommandEnvironment(surroundings, { commandMarker: `chat:${systemRandom.hex(8)}` }),
    extendEnv: false,
    stdin: 'ignore',
    buffer: false,
    reject: false,
    cancelSignal: AbortSignal.any([signal, enough.signal]),
    forceKillAfterDelay: 500,
  })
  let stderr = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    if (!enough.signal.aborted && heard(chunk) === 'enough') enough.abort()
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('utf8')).slice(0, stderrChars)
  })
  const { exitCode, code, isCanceled } = await child
  if (code === 'ENOENT' || code === 'EACCES') return undefined
  return { code: isCanceled ? undefined : exitCode, stderr }
}
