import { dirname, join } from 'node:path'
import { readImports, type Source } from './read-sources.ts'

/**
 * Who may import whom: the table of the design's section "the house", as data. A part is a folder of `src` or one of
 * its entry files; what belongs to no longer name belongs to the shortest that fits.
 */
export const mayImport = {
  kernel: [],
  'kernel/process': ['kernel'],
  'kernel/config': ['kernel'],
  runs: ['kernel', 'kernel/process'],
  board: ['kernel'],
  workspaces: ['kernel', 'kernel/process'],
  'dispatcher/supervisor': ['kernel', 'kernel/process', 'runs', 'workspaces'],
  dispatcher: ['kernel', 'kernel/process', 'kernel/config', 'runs', 'workspaces', 'board', 'dispatcher/supervisor'],
  worker: ['kernel', 'kernel/process', 'kernel/config', 'runs', 'api/contract', 'api/client'],
  api: ['kernel', 'kernel/process', 'kernel/config', 'runs', 'board', 'api/contract', 'api/client'],
  'api/contract': ['kernel', 'kernel/config'],
  'api/client': ['kernel', 'api/contract'],
  cli: ['kernel', 'kernel/process', 'kernel/config', 'api/contract', 'api/client', 'main'],
  main: [
    'kernel',
    'kernel/process',
    'kernel/config',
    'runs',
    'board',
    'workspaces',
    'dispatcher',
    'dispatcher/supervisor',
    'worker',
    'api',
    'api/contract',
    'api/client',
  ],
  bin: ['cli', 'worker'],
} as const satisfies Record<string, readonly string[]>

export type Part = keyof typeof mayImport
const parts = (Object.keys(mayImport) as Part[]).sort((a, b) => b.length - a.length)

/** Entry files that are their own door. */
const entryFiles: Readonly<Record<string, Part>> = { 'main.ts': 'main', 'bin.ts': 'bin' }

/**
 * Files that start as programs of their own and so are named by the build, the start gate or `bin`, not by a door.
 * A reader needs to know each of them; a new one is added here with the reason.
 */
const programs: Readonly<Record<string, string>> = {
  'cli/main.ts': 'bundled as dist/cli.mjs; bin loads it at run time',
  'worker/main.ts': 'bundled as dist/worker.cjs; bin loads it at run time',
}

/** The part that a file of `src` belongs to, or undefined for a file that no part owns. */
export function partOf(path: string): Part | undefined {
  return entryFiles[path] ?? parts.find((part) => path.startsWith(`${part}/`))
}

/** What the table forbids in these sources, one sentence each, ending with what to do instead. */
export function findForbiddenImports(sources: readonly Source[]): readonly string[] {
  return sources.flatMap((source) => {
    const from = partOf(source.path)
    if (from === undefined) {
      return source.path.endsWith('.d.ts')
        ? []
        : [`${source.path} belongs to no part: move it into one of ${parts.join(', ')}`]
    }
    return ownImports(source).flatMap((target) => findForbidden(source.path, from, target))
  })
}

function findForbidden(path: string, from: Part, target: string): readonly string[] {
  const to = partOf(target)
  if (to === from || to === undefined) return []
  const allowed: readonly string[] = mayImport[from]
  if (!allowed.includes(to)) {
    return [
      `${path} reaches into ${to} (${target}): ${from} may import ${allowed.join(', ') || 'nothing of ours'}. ` +
        `Declare what it needs in ${from} itself and let main.ts hand it in`,
    ]
  }
  const door = entryFiles[target] === undefined ? `${to}/index.ts` : target
  if (target === door || programs[target] !== undefined) return []
  return [`${path} goes past the door of ${to} (${target}): import it from ${door}, and list the name there`]
}

/** Each ring of imports, once, as `a.ts → b.ts → a.ts`. Type imports count: what cannot be understood alone is one thing. */
export function findCycles(sources: readonly Source[]): readonly string[] {
  const graph = new Map(sources.map((source) => [source.path, ownImports(source)]))
  const finished = new Set<string>()
  const rings: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path)
    if (at >= 0) {
      rings.push(
        `${[...trail.slice(at), path].join(' → ')}: move what both need into a file of its own that imports neither`,
      )
      return
    }
    if (finished.has(path)) return
    for (const target of graph.get(path) ?? []) visit(target, [...trail, path])
    finished.add(path)
  }
  for (const path of graph.keys()) visit(path, [])
  return rings
}

/** Paths below `src` that a file imports; packages are left out. */
function ownImports(source: Source): readonly string[] {
  return readImports(source)
    .filter((text) => text.startsWith('.'))
    .map((text) => join(dirname(source.path), text))
}
