import type { Command } from 'commander'
import type { HealthView, HoldBody } from '../../api/contract/index.ts'
import { sayActor } from '../../kernel/index.ts'
import { type CliDeps, type Commands, exitCode, type Yard } from '../command.ts'
import { cliError } from '../errors.ts'
import { writeJson } from '../output.ts'
import { heldName, howItEnds, lacksSomething, sayLack } from '../render/hold-words.ts'
import { onOneLine } from '../render/visible.ts'
import { count } from '../render/words.ts'

interface ScopeOptions {
  readonly lane?: string
  readonly account?: string
}

/** `pause`, `resume` and `drain`: of everything, one board (`-b`), one lane or one account. All three survive restarts. */
export function registerHolds(program: Command, commands: Commands): void {
  withScope(program.command('pause'))
    .description('start nothing new; what runs goes on')
    .action(
      commands.answer<ScopeOptions>((deps, { options }) =>
        hold(deps, options, {
          act: (client, body) => client.pause(body),
          says: (what) => `Paused: ${what}. What runs goes on. Start again: yardmaster resume${flagOf(deps, options)}`,
        }),
      ),
    )
  withScope(program.command('resume'))
    .description('lift a pause or a drain; of an account: try it now')
    .action(
      commands.answer<ScopeOptions>((deps, { options }) =>
        hold(deps, options, {
          act: (client, body) => client.resume(body),
          says: (what, health) => `Resumed: ${what}. ${leftHolds(health)}`.trim(),
        }),
      ),
    )
  withScope(program.command('drain'))
    .description('start nothing new and let what runs finish; the hub stays')
    .action(
      commands.answer<ScopeOptions>((deps, { options }) =>
        hold(deps, options, {
          act: (client, body) => client.drain(body),
          says: (what, health) =>
            `Draining: ${what}. ${count(health.slots.used, 'attempt')} may finish. Start again: yardmaster resume${flagOf(deps, options)}`,
        }),
      ),
    )
}

function withScope(command: Command): Command {
  return command
    .option('--lane <lane>', 'only this lane')
    .option('--account <account>', 'only this account')
    .addHelpText('after', '\nOnly one board: -b BOARD. Without any of them: everything.')
}

interface HoldAct {
  readonly act: (client: Yard['client'], body: HoldBody) => Promise<HealthView>
  readonly says: (what: string, health: HealthView) => string
}

async function hold(deps: CliDeps, options: ScopeOptions, { act, says }: HoldAct): Promise<number> {
  const body = scopeOf(deps, options)
  const yard = await deps.openYard({ store: 'must_exist' })
  try {
    const health = await act(yard.client, body)
    if (deps.flags.json) writeJson(deps, health)
    else if (!deps.flags.quiet) deps.out.write(`${says(nameOf(body), health)}\n`)
    return exitCode.ok
  } finally {
    await yard.close()
  }
}

function scopeOf({ flags }: CliDeps, { lane, account }: ScopeOptions): HoldBody {
  const named = [
    { scope: 'board', name: flags.board },
    { scope: 'lane', name: lane },
    { scope: 'account', name: account },
  ] as const
  const [first, ...others] = named.flatMap(({ scope, name }) => (name === undefined ? [] : [{ scope, name }]))
  if (others.length > 0) {
    throw cliError('CLI_BAD_USE', {
      says: 'a board, a lane or an account is meant, not several at once',
      fix: 'type one line for each',
    })
  }
  return first ?? { scope: 'all' }
}

const nameOf = ({ scope, name }: HoldBody): string => heldName({ scope, name: name ?? null })

function flagOf(deps: CliDeps, options: ScopeOptions): string {
  const { scope, name } = scopeOf(deps, options)
  return scope === 'all' ? '' : ` --${scope} ${name}`
}

function leftHolds({ holds, dispatching, leaving }: HealthView): string {
  if (leaving) return 'The hub is being stopped all the same; once it is gone: yardmaster up -d'
  const left = holds.find((hold) => !lacksSomething(hold)) ?? holds[0]
  if (left !== undefined) {
    if (lacksSomething(left)) return `But ${sayLack(left)}. ${howItEnds(left)}`
    const how = left.kind === 'drain' ? 'draining' : 'paused'
    return `Still ${how}: ${heldName(left)}, by ${onOneLine(sayActor(left.by))}. ${howItEnds(left)}`
  }
  return dispatching ? '' : 'No hub is up, so nothing starts: yardmaster up -d'
}
