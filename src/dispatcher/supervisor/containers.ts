import { execFile } from 'node:child_process'
import { findProgram, pickVariables } from '../../kernel/process/index.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The label by which a worker says of a container that it belongs to its run; the value is its `YARDMASTER_MARKER`. */
export const containerLabel = 'yardmaster.run'

/** A container engine whose client is on PATH. Docker and podman take the same words for all that is asked here. */
export interface Engine {
  readonly name: 'docker' | 'podman'
  /** Absolute path of its client. */
  readonly path: string
  readonly env: Environment
}

export interface LabelledContainer {
  readonly engine: Engine
  readonly id: string
  /** More than one where the worker of a yard inside a worker has started it. */
  readonly markers: readonly string[]
}

/** A client that does not answer by then stands for an engine that is not there. */
const answerWithinMs = 10_000

export function findEngines({ env }: { readonly env: Environment }): readonly Engine[] {
  const picked = pickVariables(env, { names: clientNames, keptBack: [] })
  return (['docker', 'podman'] as const).flatMap((name) => {
    const found = findProgram({ name, path: env.PATH ?? '', cwd: '/' })
    return found.kind === 'found' ? [{ name, path: found.path, env: picked }] : []
  })
}

/** What tells a client where its engine is, and nothing of the hub besides. */
const clientNames = [
  'PATH',
  'HOME',
  'USER',
  'DOCKER_*',
  'CONTAINER_*',
  'CONTAINERS_*',
  'PODMAN_*',
  'XDG_*',
  'SSH_AUTH_SOCK',
]

/** Its containers with our label, running or not; undefined where it does not answer. */
export async function listLabelled(engine: Engine): Promise<readonly LabelledContainer[] | undefined> {
  const ids = await ask(engine, ['ps', '--all', '--quiet', '--no-trunc', '--filter', `label=${containerLabel}`])
  const known = ids?.split(/\s+/).filter((id) => /^[0-9a-f]{12,64}$/.test(id))
  if (known === undefined || known.length === 0) return known === undefined ? undefined : []
  // One that goes meanwhile makes the client fail, though it tells of all others.
  const format = `{{.Id}} {{index .Config.Labels "${containerLabel}"}}`
  const told = await ask(engine, ['inspect', '--type', 'container', '--format', format, ...known], 'take what it says')
  return told?.split('\n').flatMap((line) => {
    const [id = '', ...markers] = line.trim().split(' ')
    return known.includes(id) && markers.length > 0 ? [{ engine, id, markers }] : []
  })
}

/** Ends and removes them, their own volumes kept; whether the engine says that it has. One that is gone by now is removed, too. */
export async function removeContainer({ engine, id }: LabelledContainer): Promise<boolean> {
  return (await ask(engine, ['rm', '--force', id])) !== undefined
}

function ask(
  { path, env }: Engine,
  args: readonly string[],
  onFailure: 'give up' | 'take what it says' = 'give up',
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = execFile(path, args, { env: { ...env }, cwd: '/', timeout: answerWithinMs }, (fault, stdout) => {
      resolve(fault === null || onFailure === 'take what it says' ? stdout : undefined)
    })
    child.stdin?.end()
  })
}
