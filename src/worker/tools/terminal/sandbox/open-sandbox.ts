import { lstatSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { makeFolder, realPath, removeTree } from '../../../../kernel/index.ts'
import { findProgram } from '../../../../kernel/process/index.ts'
import { workerError } from '../../../errors.ts'
import { buildCommandEnvironment } from '../command-environment.ts'
import type { CommandDeskDeps, SandboxOrder } from '../desk-deps.ts'
import { buildBwrapArguments, type SandboxView } from './bwrap-arguments.ts'
import { lookAround } from './look-around.ts'

/** Commands that see a read-only system, their workspace and little else (worker-facts c.6). */
export interface Sandbox {
  /** Throws `WORKER_NO_SANDBOX` where no command could be put into it. */
  check(): Promise<void>
  /** The whole argument list of a command in the sandbox, or a sentence why there cannot be one. */
  wrap(argv: readonly string[], where: { readonly cwd: string }): Promise<readonly [string, ...string[]] | string>
  /** Removes what commands have left in their temporary folder and their home. */
  close(): Promise<void>
}

const probeMs = 5_000

/**
 * A sandbox by bubblewrap. What it shows is decided once, before the first command: what a command writes cannot open
 * anything for the next one. Its temporary folder and its home are the worker's own and live as long as the worker.
 */
export function openSandbox(deps: CommandDeskDeps, order: SandboxOrder): Sandbox {
  const folder = join(deps.spillFolder, 'sandbox')
  let opened: Promise<{ readonly bwrap: string; readonly view: SandboxView } | string> | undefined
  const open = () => {
    opened ??= prepare(deps, order, folder)
    return opened
  }
  return {
    async check() {
      const found = await open()
      const why = typeof found === 'string' ? found : await probe(deps, found)
      if (why !== undefined) throw workerError('WORKER_NO_SANDBOX', { why })
      deps.log(`chat: commands run in a sandbox by bubblewrap, network ${order.network}`)
    },
    async wrap(argv, { cwd }) {
      const found = await open()
      if (typeof found === 'string') return `there is no sandbox: ${found}`
      return [found.bwrap, ...buildBwrapArguments(found.view, { cwd }), ...argv]
    },
    close: () => removeTree(folder, new AbortController().signal).catch(() => {}), // the run directory goes, too, some day
  }
}

async function prepare(deps: CommandDeskDeps, order: SandboxOrder, folder: string) {
  const found = findProgram({ name: 'bwrap', path: deps.env.PATH ?? '', cwd: '/' })
  if (found.kind !== 'found') return 'bubblewrap (bwrap) is not installed'
  const ownTemp = join(folder, 'tmp')
  const ownHome = join(folder, 'home')
  for (const path of [ownTemp, ownHome]) makeFolder(path, 0o700)
  await copyIdentity(deps, ownHome)
  keepPlaceOfHooks(deps.workspace)
  const user = process.getuid?.() === 0 ? ('root' as const) : ('other' as const)
  const around = {
    workspace: deps.workspace,
    env: deps.env,
    ownTemp: realPath(ownTemp),
    ownHome: realPath(ownHome),
    user,
  }
  const readable = [...order.readable, deps.spillFolder]
  return { bwrap: found.path, view: lookAround(around, { ...order, readable }) }
}

/** Where a repository has no folder of hooks, a command could make one. */
function keepPlaceOfHooks(workspace: string): void {
  const git = join(workspace, '.git')
  if (!isFolder(git)) return
  try {
    makeFolder(join(git, 'hooks'))
  } catch {
    // a repository that may only be read: nor can a command make one there
  }
}

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Who commits: the one thing of the hidden home that a commit cannot do without. */
async function copyIdentity(deps: CommandDeskDeps, ownHome: string): Promise<void> {
  const env = buildCommandEnvironment(deps, { commandMarker: 'chat:identity' })
  const read = async (name: string) => {
    const options = {
      cwd: deps.workspace,
      env,
      extendEnv: false,
      stdin: 'ignore',
      reject: false,
      timeout: probeMs,
    } as const
    const { stdout } = await execa('git', ['config', '--get', name], options)
    return String(stdout ?? '').replace(/["\\\n]/g, '')
  }
  try {
    const [name, email] = [await read('user.name'), await read('user.email')]
    const lines = [name && `\tname = "${name}"\n`, email && `\temail = "${email}"\n`].join('')
    if (lines !== '') writeFileSync(join(ownHome, '.gitconfig'), `[user]\n${lines}`)
  } catch {
    // no git: then nobody commits
  }
}

/** Why nothing can be started in it; undefined when it can. */
async function probe(
  deps: CommandDeskDeps,
  { bwrap, view }: { readonly bwrap: string; readonly view: SandboxView },
): Promise<string | undefined> {
  const env = buildCommandEnvironment(deps, { commandMarker: 'chat:probe' })
  const args = [...buildBwrapArguments(view, { cwd: deps.workspace }), 'sh', '-c', ':']
  const options = { cwd: '/', env, extendEnv: false, stdin: 'ignore', reject: false, timeout: probeMs } as const
  const { exitCode, stderr, timedOut, shortMessage } = await execa(bwrap, args, options)
  if (exitCode === 0) return undefined
  if (timedOut) return `bwrap did not answer within ${probeMs} ms`
  const said =
    String(stderr ?? '')
      .trim()
      .split('\n')
      .at(-1) ||
    shortMessage ||
    'it does not say why'
  return /namespace|uid map|gid map|setgroups|not permitted|No permissions/i.test(said)
    ? `user namespaces are off on this machine (${said})`
    : said
}
