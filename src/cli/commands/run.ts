import type { Command } from 'commander'
import type { Commands } from '../command.ts'
import { parseRunRequest, type RunOptions, runBatch } from '../run/index.ts'

/** `run FILE|-`: submits a batch file and follows it to its verdict, whose exit code is the answer. */
export function registerRun(program: Command, commands: Commands): void {
  program
    .command('run')
    .argument('<file>', 'a batch file (YAML or JSONL), or - for standard input')
    .option('-j, --slots <n>', 'workers at once for this batch (also: limits.slots)')
    .option('--dry-run', 'read all of it and say what it would be; creates nothing')
    .option('--detach', 'leave it to the hub and do not follow')
    .option('--resume', 'go on with the last batch of this name, whatever its verdict')
    .option('--failed', 'the same, and its failed tasks run again')
    .option('--new', 'a new batch, whatever was before')
    .option('--redo <key>', 'this done task runs again; may stand several times', collect)
    .option('--key <key>', 'same name and key: the same batch (also: key)')
    .option('--set <k=v>', 'say something else than the file: --set defaults.timeout=5m', collect)
    .option('--matrix <k=file>', 'rows of an axis from a file, or - for standard input', collect)
    .option('--timeout <duration>', 'end it after this time (also: limits.timeout)')
    .option('--report <dir>', 'keep report.md, report.json, junit.xml and patches here')
    .option('--orphans <what>', 'when this process is killed, workers are adopted by the next run, or die with it')
    .description('run a batch file and answer with its verdict')
    .action(
      commands.answer<RunOptions>((deps, { args: [file = ''], options }) =>
        runBatch(deps, parseRunRequest(file, options, deps.flags.board)),
      ),
    )
}

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value]
