import type { CliDeps, Yard } from './command.ts'
import { cliError } from './errors.ts'
import { buildReport } from './report/index.ts'
import { readLastTarget } from './targets/last-target.ts'
import { resolveBatch, type TargetDeps } from './targets/resolve-tasks.ts'

/** Looks up `@E1`: the tasks of a cause group in the report of a batch (`--batch`, else the one used last, else the newest). */
export function causeGroup({ home }: Pick<CliDeps, 'home'>, { client }: Yard): TargetDeps['causeGroup'] {
  return async (number, batch) => {
    const target = `@E${number}`
    const id =
      batch === undefined ? (lastBatch(home) ?? (await newestBatch({ client }))) : await resolveBatch(client, batch)
    if (id === undefined) throw cliError('CLI_BAD_TARGET', { target, why: 'there is no batch, so there is no report' })
    const { causes } = buildReport(await client.batchReport(id))
    const group = causes.find((cause) => cause.id === `E${number}`)
    if (group !== undefined) return group.tasks
    const known = causes.map((cause) => `@${cause.id}`).join(', ')
    throw cliError('CLI_BAD_TARGET', {
      target,
      why: `the report of B${id} has ${known === '' ? 'no failed group' : `only ${known}`}`,
      fix: `yardmaster report B${id}`,
    })
  }
}

function lastBatch(home: string): number | undefined {
  const last = readLastTarget(home)
  return last?.startsWith('B') ? Number(last.slice(1)) : undefined
}

async function newestBatch({ client }: Pick<Yard, 'client'>): Promise<number | undefined> {
  return (await client.batches({ limit: 1 })).rows[0]?.id
}
