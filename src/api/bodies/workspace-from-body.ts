import type { SetupSpec, StageSpec, WorkspaceSpec } from '../../board/index.ts'
import { readCheck, readSetup, type WrittenCheck, type WrittenSetup } from '../../kernel/config/index.ts'
import { isFields, readRepoAddress, realPath, whyNoRef } from '../../kernel/index.ts'
import type { DefaultsBody } from '../contract/index.ts'
import { badRequest } from './bad-request.ts'
import { durationMs } from './duration-ms.ts'

type Body = NonNullable<DefaultsBody['workspace']>

/** Where a task works, in the board's words. Throws `API_BAD_REQUEST` for what no shape can tell: `path` is where it stands. */
export function workspaceFromBody(body: Body, path: string): WorkspaceSpec {
  if (typeof body === 'string') return { kind: body }
  // By its real path: two names of one folder must not let two tasks into it.
  if ('dir' in body)
    return { kind: 'dir', path: realPath(absolute(body.dir, `${path}.dir`)), shared: body.shared ?? false }
  const { repo, setup, ref, ...others } = body
  const noRef = ref === undefined ? undefined : whyNoRef(ref)
  if (noRef !== undefined) throw badRequest({ path: `${path}.ref`, ...noRef })
  return {
    kind: 'worktree',
    ...(repo === undefined ? {} : { repo: repoFromBody(repo, `${path}.repo`) }),
    ...(ref === undefined ? {} : { ref }),
    ...(setup === undefined ? {} : { setup: setupFromBody(setup, `${path}.setup`) }),
    ...others,
  }
}

/** A check in any of its forms; null: none. */
export function checkFromBody(check: WrittenCheck, path: string): StageSpec | null {
  countable(check, path)
  return readCheck(check)
}

function setupFromBody(setup: WrittenSetup, path: string): SetupSpec | null {
  countable(setup, path)
  return readSetup(setup)
}

function countable(stage: unknown, path: string): void {
  if (isFields(stage) && typeof stage.timeout === 'string') durationMs(stage.timeout, `${path}.timeout`)
}

function repoFromBody(repo: string, path: string): string {
  const address = readRepoAddress(repo)
  if (address.kind === 'refused') throw badRequest({ path, says: address.says, fix: address.fix })
  return address.kind === 'url' ? address.url : realPath(absolute(address.path, path))
}

/** The hub's working directory says nothing about the caller's: the CLI resolves paths, never the hub. */
function absolute(text: string, path: string): string {
  if (text.startsWith('/')) return text
  const says = `must be an absolute path, not ${JSON.stringify(text)}`
  throw badRequest({ path, says, fix: 'give the whole path, from / on' })
}
