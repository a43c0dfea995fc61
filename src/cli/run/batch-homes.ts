import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { CliDeps, Yard } from '../command.ts'
import { cliError } from '../errors.ts'
import { hasStore, openYardOf } from '../open-yard.ts'
import { findBatch } from '../targets/resolve-tasks.ts'

/** A batch and the yard that it is in. */
export interface FoundBatch {
  readonly yard: Yard
  readonly id: number
  /** The home of that yard: the usual one, or one that `run` made for a file. */
  readonly home: string
}

/**
 * Where `run` works a file while no hub is up: a home of its own for each path, so that two files never meet. Whoever was told to
 * export that home types the same line there, too: it is the same batch, not one that begins anew below it.
 */
export function privateHome(home: string, { name, path }: { readonly name: string; readonly path: string }): string {
  const word = name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 40)
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 12)
  const own = `${word || 'batch'}-${digest}`
  const isThere = basename(home) === own && basename(dirname(home)) === 'run'
  return isThere ? home : join(home, 'run', own)
}

/**
 * The batch that a person means by `B7`, a name, or nothing (the one submitted last), looked for in the home and then
 * in the private homes of `run`, newest first. The caller closes its yard. Throws `CLI_BAD_TARGET` or `CLI_NO_YARD`.
 */
export async function openBatch(deps: CliDeps, text: string | undefined): Promise<FoundBatch> {
  const homes = [...(hasStore(deps.home) ? [deps.home] : []), ...privateHomes(deps.home)]
  const wanted = text === undefined ? homes.toSorted((a, b) => changedMs(b) - changedMs(a)) : homes
  for (const home of wanted) {
    const yard = await openYardOf({ ...deps, home })({ store: 'read' })
    const id = await idIn(yard, text).catch(async (fault) => {
      await yard.close()
      throw fault
    })
    if (id !== undefined) return { yard, id, home }
    await yard.close()
  }
  if (homes.length === 0) throw cliError('CLI_NO_YARD', { home: deps.home })
  throw cliError('CLI_BAD_TARGET', {
    ...(text === undefined ? {} : { target: text }),
    why: text === undefined ? 'no batch was submitted yet' : `no batch has this ${isId(text) ? 'number' : 'name'}`,
    fix: 'name one by its id or name, such as B7 or night; yardmaster run FILE submits one',
  })
}

const isId = (text: string): boolean => /^B?\d+$/i.test(text)

async function idIn({ client }: Yard, text: string | undefined): Promise<number | undefined> {
  if (text === undefined) return (await client.batches({ limit: 1 })).rows[0]?.id
  const number = /^B?([1-9]\d{0,14})$/i.exec(text)?.[1]
  return await findBatch(client, number ?? text)
}

function privateHomes(home: string): readonly string[] {
  const runs = join(home, 'run')
  try {
    const found = readdirSync(runs).map((name) => join(runs, name))
    return found.filter(hasStore).sort((a, b) => changedMs(b) - changedMs(a))
  } catch {
    return [] // nothing was ever run without a hub
  }
}

/** When something was last written into the store of a home. */
function changedMs(home: string): number {
  const times = ['yard.db', 'yard.db-wal'].map(
    (file) => statSync(join(home, file), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  )
  return Math.max(...times)
}
