import { accessSync, constants } from 'node:fs'
import { divideLogLimit } from '../../runs/index.ts'
import { shellPath } from './shim.ts'
import { type PipedInput, writePiped } from './write-piped.ts'

/**
 * `log: piped`: between shim and worker stands a shell that starts a writer of ours and gives the worker a pipe to it. The
 * writer keeps the limit exactly, on every file system, and also while no hub is there; it costs a process of some 40 MB
 * for each run. It lies outside of the worker's group and goes when nobody holds the pipe any more, or with the tree.
 *
 * Given: $1 the run directory, $2 mkfifo, $3 sleep, $4 setsid, $5 node, $6 the writer's text, $7 the mark, then the command.
 * - All ends of the pipe are opened here, the one for both first, so that none of them waits for another; and the writer
 *   holds only the one it reads from, so that it sees the end.
 * - Until the worker starts a signal ends it, as nothing was run; then it waits for its worker as the shim does.
 * - What the worker has written is in the log when its end is told: the mark is put behind it, and the writer removes the
 *   pipe's name when it has come so far. A grandchild that holds the pipe is not waited for (C35): the writer goes on
 *   beside. Nor is a writer that was killed; and one that comes to nothing, for want of room on the disk, for no longer
 *   than some ten seconds.
 * - No variable is set before the worker has ended: it could be one of the worker's.
 */
export const pipeText = `trap 'exit 130' HUP INT QUIT
trap 'exit 143' TERM
"$2" -m 600 "$1/output.pipe" || exit 75
exec 5<>"$1/output.pipe" 6<"$1/output.pipe" 7>"$1/output.pipe"
"$4" "$5" --max-old-space-size=32 -e "$6" <&6 3<&- 5<&- 6<&- 7>&- &
exec 5<&- 6<&-
trap : HUP INT QUIT TERM
(shift 7; exec "$@" >&7 2>&1 7>&-)
set -- "$?" "$3" "$1/output.pipe" "$7" "$!"
printf %s "$4" >&7 7>&- &
exec 7>&-
looks=0
while [ -p "$3" ] && kill -0 "$5" 2>/dev/null && [ "$looks" -lt 1000 ]; do
"$2" 0.01
looks=$((looks + 1))
done
exit "$1"`

/** Programs of the system that it needs, by absolute path: the worker's PATH is the task's. */
export interface PipeTools {
  readonly mkfifo: string
  readonly sleep: string
  readonly setsid: string
}

/** Looked up when the first lane asks for it; the names of those that are missing, where some are. */
export function findPipeTools(): PipeTools | { readonly missing: readonly string[] } {
  const names = ['mkfifo', 'sleep', 'setsid'] as const
  const found = names.map((name) => [name, [`/usr/bin/${name}`, `/bin/${name}`].find(isExecutable)] as const)
  const missing = found.filter(([, path]) => path === undefined).map(([name]) => name)
  return missing.length > 0 ? { missing } : (Object.fromEntries(found) as unknown as PipeTools)
}

/** What is put before a command whose output goes through a writer. `node` is the program that runs it. */
export function buildPipe(
  { tools, node }: { readonly tools: PipeTools; readonly node: string },
  { runDir, limitBytes, marker }: { readonly runDir: string; readonly limitBytes: number; readonly marker: string },
): readonly string[] {
  const { headBytes } = divideLogLimit(limitBytes)
  // A worker that prints its environment prints the marker; nobody prints it between these two characters.
  const endMark = `\u001d${marker} has ended\u001d`
  const input: PipedInput = { runDir, headBytes, partBytes: Math.floor((limitBytes - headBytes) / 2), endMark }
  const { mkfifo, sleep, setsid } = tools
  return [shellPath, '-c', pipeText, 'sh', runDir, mkfifo, sleep, setsid, node, writerText(input), endMark]
}

/** Whether this command line is that of the shell or its writer, and not the worker's. */
export const isOfPipe = (commandLine: string): boolean => commandLine.includes('/output.pipe')

/** It hears TERM and goes on: what writes to it is asked to end, and its last words are to be kept. */
function writerText(input: PipedInput): string {
  return `for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']) process.on(signal, () => {})
const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
;(${writePiped.toString()})({ fs: require('node:fs'), pause }, ${JSON.stringify(input)})
process.exit(0)`
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
