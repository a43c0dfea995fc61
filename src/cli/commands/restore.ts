import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { sayClock, sayWait } from '../../kernel/index.ts'
import type { RestoredHome } from '../../main.ts'
import { type CliDeps, type Commands, exitCode } from '../command.ts'
import { confirm } from '../confirm.ts'
import { hasStore } from '../open-yard.ts'
import { writeJson } from '../output.ts'
import { asText } from '../render/as-text.ts'
import { count } from '../render/words.ts'

/** `restore FILE`: a backup takes the place of the store, or of one that is lost. */
export function registerRestore(program: Command, commands: Commands): void {
  program
    .command('restore')
    .argument('<file>', 'what yardmaster backup has made')
    .description('put a backup in the place of all boards; no hub may be up')
    .action(commands.answer((deps, { args: [file = ''] }) => restore(deps, resolve(deps.cwd, file))))
}

async function restore(deps: CliDeps, file: string): Promise<number> {
  const { home, flags, out } = deps
  const question = `Replace all boards of ${home} by ${file} (the old ones are kept beside)?`
  if ((await isWorthAsking(deps, file)) && !(await confirm(deps, question))) return exitCode.badInput
  const restored = await deps.main.restoreHome({ home, file })
  if (flags.json) writeJson(deps, jsonOf(file, restored))
  else if (!flags.quiet) out.write(asText(restoredLines(file, restored, deps)))
  return exitCode.ok
}

/** Nobody is asked about what replaces nothing, or is refused whatever the answer: a hub is up, or there is no such file. */
async function isWorthAsking({ home, main }: CliDeps, file: string): Promise<boolean> {
  return hasStore(home) && existsSync(file) && (await main.findHub(home)) === undefined
}

function jsonOf(file: string, { copiedAtMs, tasks, open, unknownRuns, kept }: RestoredHome) {
  return {
    file,
    at: new Date(copiedAtMs).toISOString(),
    tasks,
    open_runs: open,
    unknown_runs: unknownRuns,
    replaced: kept,
    paused: true,
  }
}

function restoredLines(
  file: string,
  { copiedAtMs, tasks, open, unknownRuns, kept }: RestoredHome,
  { clock, paint }: CliDeps,
): readonly string[] {
  const nowMs = clock.nowMs()
  const age = `${sayWait(nowMs - copiedAtMs)} old, of ${sayClock(copiedAtMs, nowMs)}`
  return [
    `Restored ${count(tasks, 'task')} from ${file}: ${age}.`,
    ...(kept === null ? [] : [`What was there before is kept: ${kept}`]),
    ...(unknownRuns.length === 0
      ? []
      : [
          `Made after it, and not in it: ${runNames(unknownRuns)}. Their logs stay in the home; what they did is not undone.`,
        ]),
    ...(open.length === 0 ? [] : [openWords(open)]),
    'Everything is paused until you have looked, so that nothing is done twice.',
    `${paint.dim('Next:')} yardmaster list · yardmaster up -d · yardmaster resume`,
  ]
}

/** `R13`, `R13 to R18 (6)`. */
function runNames(runs: readonly number[]): string {
  const [first, last] = [runs[0], runs.at(-1)]
  return runs.length === 1 ? `R${first}` : `R${first} to R${last} (${runs.length})`
}

function openWords(open: RestoredHome['open']): string {
  const names = open.map(({ run, task }) => `R${run} of T${task}`).join(', ')
  const [what, which] =
    open.length === 1 ? ['its processes and its log', 'it is not'] : ['their processes and logs', 'none is']
  return `Open when it was made: ${names}. The hub looks for ${what} first; ${which} started a second time before that.`
}
