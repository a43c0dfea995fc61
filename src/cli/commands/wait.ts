import type { Command } from 'commander'
import { parseDuration } from '../../kernel/index.ts'
import { type CliDeps, type Commands, exitCode } from '../command.ts'
import { cliError } from '../errors.ts'
import { writeJson } from '../output.ts'
import { followBatch } from '../progress/index.ts'
import { buildReport } from '../report/index.ts'
import { openBatch } from '../run/index.ts'

interface WaitOptions {
  readonly timeout?: string
}

/** `wait B`: silent until the batch has a verdict; its exit code is the answer. Safe to kill and to start again. */
export function registerWait(program: Command, commands: Commands): void {
  program
    .command('wait')
    .argument('[batch]', 'its id or name; without it the one submitted last')
    .option('--timeout <duration>', 'stop waiting after this time (exit 9); the batch goes on')
    .description('wait for the verdict of a batch and answer with its exit code')
    .action(commands.answer<WaitOptions>((deps, { args: [batch], options }) => wait(deps, batch, options)))
}

async function wait(deps: CliDeps, text: string | undefined, { timeout }: WaitOptions): Promise<number> {
  const late = timeoutSignal(deps, timeout)
  const { yard, id } = await openBatch(deps, text)
  try {
    const { client, hub } = yard
    const { last_seq: after } = await client.health()
    let batch = await client.batch(id)
    if (batch.verdict === null) {
      if (hub === 'none') throw cliError('CLI_HUB_NOT_UP', { what: `waiting for B${id}, which is not over,` })
      const signal = AbortSignal.any([deps.signals.interrupted, late.signal])
      const nobody = { ended: () => {}, noted: () => {} }
      batch =
        (await followBatch({ client }, { batch: id, after, listener: nobody, signal })) ?? (await client.batch(id))
    }
    if (batch.verdict === null) return deps.signals.interrupted.aborted ? exitCode.interrupted : tellLate(deps, id)
    const { headline } = buildReport(await client.batchReport(id))
    if (deps.flags.json) writeJson(deps, batch)
    else if (!deps.flags.quiet) deps.out.write(`${headline}\n${deps.paint.dim('Next:')} yardmaster report B${id}\n`)
    return batch.verdict.exit_code
  } finally {
    late.abort()
    await yard.close()
  }
}

/** Time limit of the waiting, not of the batch. */
const lateCode = 9

function tellLate({ err }: CliDeps, id: number): number {
  err.write(`B${id} is not over yet; it goes on. Wait on: yardmaster wait B${id}\n`)
  return lateCode
}

function timeoutSignal({ clock }: CliDeps, text: string | undefined): AbortController {
  const late = new AbortController()
  if (text === undefined) return late
  const ms = parseDuration(text)
  if (ms === undefined) throw cliError('CLI_BAD_USE', { says: `"${text}" is no duration`, fix: '--timeout 5h' })
  clock.after(ms, late.signal, () => late.abort())
  return late
}
