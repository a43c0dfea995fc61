import type { CommandSurroundings } from '../../terminal/command-environment.ts'
import { startFinder } from './start-finder.ts'

const mostBytes = 64 * 1024 * 1024

/**
 * The files below a folder that git knows or would take, so without what is ignored, and without `node_modules`, ignored or
 * not; paths from that folder. Undefined where there is no repository, no git, or where all of the folder is ignored: then
 * everything in it counts. Nothing that the repository's own settings name is run.
 */
export async function listTracked(
  deps: CommandSurroundings,
  folder: string,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  const args = [
    '-c',
    'core.fsmonitor=false',
    '-c',
    'core.hooksPath=/dev/null',
    'ls-files',
    '-z',
    '--cached',
    '--others',
    '--exclude-standard',
    '--deduplicate',
  ]
  const ended = await startFinder(deps, { file: 'git', args, cwd: folder, signal }, (chunk) => {
    chunks.push(chunk)
    bytes += chunk.length
    return bytes > mostBytes ? 'enough' : 'more'
  })
  if (ended?.code !== 0) return undefined
  const paths = Buffer.concat(chunks)
    .toString('utf8')
    .split('\0')
    .filter((path) => path !== '' && !/(?:^|\/)node_modules(?:\/|$)/.test(path))
  return paths.length === 0 ? undefined : paths
}
