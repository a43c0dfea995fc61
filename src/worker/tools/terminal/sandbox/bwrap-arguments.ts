import { relative } from 'node:path'

/** A place that commands must not see. */
export interface HiddenPlace {
  readonly path: string
  readonly kind: 'file' | 'folder'
}

/** What a sandbox shows, as real paths that exist; only the home may be missing. */
export interface SandboxView {
  readonly workspace: string
  /** Besides the workspace; such as the repository that a worktree belongs to. */
  readonly writable: readonly string[]
  /** Folders in what may be written that stay where they are: what lies in them cannot be moved away with them. */
  readonly pinned: readonly string[]
  /** In what may be written: what others would run or follow later, such as git's hooks. */
  readonly kept: readonly string[]
  readonly hidden: readonly HiddenPlace[]
  /** Shown although something around it is hidden. */
  readonly readable: readonly string[]
  /** Folders of the worker's that take the place of others: `[ours, theirs]`. */
  readonly replaced: readonly (readonly [string, string])[]
  readonly network: 'on' | 'off'
  /** root: what makes it all-powerful is taken from it. */
  readonly user: 'root' | 'other'
}

/**
 * The arguments of bubblewrap before the command itself. Their order is what they mean: the system read-only, then what is
 * hidden of it, then what may be written, then what is hidden in that, then what may be read all the same.
 */
export function buildBwrapArguments(view: SandboxView, { cwd }: { readonly cwd: string }): readonly string[] {
  const writable = [...view.writable, view.workspace]
  const isInWritable = ({ path }: HiddenPlace) => writable.some((folder) => isWithin(path, folder))
  const outside = view.hidden.filter((place) => !isInWritable(place))
  const inside = view.hidden.filter(isInWritable).filter(({ path }) => path !== view.workspace)
  return [
    ...['--unshare-all', ...(view.network === 'on' ? ['--share-net'] : []), '--die-with-parent'],
    ...(view.user === 'root' ? ['--cap-drop', 'ALL'] : []),
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...withoutNested(outside).flatMap(hide),
    ...view.replaced.flatMap(([ours, theirs]) => ['--bind', ours, theirs]),
    ...writable.flatMap((path) => ['--bind', path, path]),
    ...view.pinned.flatMap((path) => ['--bind', path, path]),
    ...view.kept.flatMap((path) => ['--ro-bind', path, path]),
    ...withoutNested(inside).flatMap(hide),
    ...view.readable.flatMap((path) => ['--ro-bind', path, path]),
    ...['--setenv', 'TMPDIR', '/tmp', '--chdir', cwd, '--'],
  ]
}

const hide = ({ path, kind }: HiddenPlace): readonly string[] =>
  kind === 'folder' ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path]

/** What lies in a hidden folder is hidden with it. */
function withoutNested(places: readonly HiddenPlace[]): readonly HiddenPlace[] {
  const folders = places.filter(({ kind }) => kind === 'folder')
  return places.filter(({ path }) => !folders.some((folder) => folder.path !== path && isWithin(path, folder.path)))
}

/** Whether a path is this folder or lies in it. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith('../'))
}
