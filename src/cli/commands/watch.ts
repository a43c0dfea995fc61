import type { Command } from 'commander'
import { type CliDeps, type Commands, exitCode } from '../command.ts'
import { cliError } from '../errors.ts'
import { writeJson } from '../output.ts'
import { openStage } from '../progress/index.ts'
import { buildReport } from '../report/index.ts'
import { openBatch } from '../run/index.ts'

/** `watch B`: the progress of a batch, as `run` shows it, from any terminal. Leaving it changes nothing. */
export function registerWatch(program: Command, commands: Commands): void {
  program
    .command('watch')
    .argument('[batch]', 'its id or name; without it the one submitted last')
    .description('look on while a batch works')
    .action(commands.answer((deps, { args: [batch] }) => watch(deps, batch)))
}

async function watch(deps: CliDeps, text: string | undefined): Promise<number> {
  const { yard, id } = await openBatch(deps, text)
  try {
    const { client, hub } = yard
    const { last_seq: after } = await client.health()
    const batch = await client.batch(id)
    if (batch.verdict === null) {
      if (hub === 'none') throw cliError('CLI_HUB_NOT_UP', { what: `watching B${id}, which is not over,` })
      await follow(deps, { client, batch, after })
    }
    if (deps.signals.interrupted.aborted) return exitCode.interrupted
    const { headline } = buildReport(await client.batchReport(id))
    if (deps.flags.json) writeJson(deps, await client.batch(id))
    else deps.out.write(`${headline}\n${deps.paint.dim('Next:')} yardmaster report B${id}\n`)
    return exitCode.ok
  } finally {
    await yard.close()
  }
}

async function follow(
  deps: CliDeps,
  {
    client,
    batch,
    after,
  }: Pick<Parameters<typeof openStage>[0], 'client'> & {
    readonly batch: Parameters<ReturnType<typeof openStage>['follow']>[0]['batch']
    readonly after: number
  },
): Promise<void> {
  const out = deps.flags.json ? deps.err : deps.out
  const stage = openStage({ ...deps, client, out }, !deps.flags.json && out.isTerminal ? 'picture' : 'lines')
  const signal = AbortSignal.any([deps.signals.interrupted, deps.out.closed])
  await stage.follow({ batch, after, signal, changed: () => {} })
}
