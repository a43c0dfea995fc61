import { join } from 'node:path'
import type { Client } from '../../api/client/index.ts'
import { assertNever, formatRunId, isCi, nameSome, type RunId } from '../../kernel/index.ts'
import type { Hub } from '../../main.ts'
import type { CliDeps, Interrupt } from '../command.ts'
import type { Stage } from '../progress/index.ts'
import { choicesLine, type InterruptFacts, planInterrupt, type Worked } from './interrupt-plan.ts'
import type { MovableOutput } from './movable-output.ts'

/** How a batch was left before its verdict. */
export type Left = 'interrupted' | 'detached'

export interface HeardInterrupts {
  /** Fires when the batch is not to be followed any more. */
  readonly left: AbortSignal
  how(): Left
  /** A person pressed the key for it: leaving was no interruption. */
  wasAsked(): boolean
  /** Signals are the program's own again. */
  giveBack(): void
}

export interface InterruptInput {
  readonly worked: Worked
  readonly client: Client
  readonly hub?: Hub
  readonly batch: number
  readonly home: string
  /** The batch file came by standard input, so no key can. */
  readonly readsStdin: boolean
  readonly stage: Stage
  readonly out: MovableOutput
  readonly held: HeldSignals
}

/** GitHub sends TERM 7.5 s after its first signal and kills 2.5 s later; 5 s are ours for all of it. */
const longestCiGraceMs = 3_000
/** Then the report is written, whatever is still being recorded: an attempt may leave gigabytes. */
const longestCiWaitMs = 4_300
/** What a person who has said "at once" waits for at most. */
const longestWaitMs = 5_000

/** Signals that came before anybody could act on them, oldest first. */
export interface HeldSignals {
  readonly names: readonly Interrupt[]
  giveBack(): void
}

/**
 * Holds our signals back while a batch is handed over: a program that left right then would leave a hub half started,
 * or a batch that nobody told of.
 */
export function holdSignals({ signals }: Pick<CliDeps, 'signals'>): HeldSignals {
  const names: Interrupt[] = []
  return { names, giveBack: signals.take((name) => names.push(name)) }
}

/** Takes our signals while a batch is followed, those held before first, and carries out what `planInterrupt` makes of them. */
export function hearInterrupts(deps: CliDeps, input: InterruptInput): HeardInterrupts {
  const { worked, hub, client, batch, home, stage, out, held } = input
  const left = new AbortController()
  const over = new AbortController()
  const isInteractive = deps.err.isTerminal && !deps.flags.quiet && !deps.flags.json
  const facts = { worked, isInteractive, isCi: isCi(deps.env) }
  let state: InterruptFacts['state'] = 'calm'
  let how: Left = 'interrupted'
  let wasAsked = false
  const keys = hearDetachKey(deps, input, () => {
    wasAsked = true
    detach()
  })
  const takeBack = deps.signals.take(heard)
  for (const name of held.names) heard(name)
  // A `down` for a private home is the same wish as Ctrl-C in its terminal.
  // So is a store that was taken away: whoever follows meets the fault itself.
  const leave = () => left.abort()
  hub?.downAsked.then(leave, leave)

  function heard(name: Interrupt): void {
    const act = planInterrupt(name, { ...facts, state })
    switch (act) {
      case 'show_choices':
        state = 'asked'
        // A hub that cannot say how many run is no reason to lose the choices: the next signal ends either way.
        showChoices().catch(() => {})
        break
      case 'end_at_once':
        hub?.hurry()
        end()
        leaveRestAfter(longestWaitMs)
        break
      case 'end':
        end()
        break
      case 'detach':
        detach()
        break
      case 'go_on_without_terminal':
        out.moveTo(join(home, 'log', 'run.log'))
        stage.say(`The terminal is gone; B${batch} goes on without it.`)
        break
      default:
        assertNever(act)
    }
  }

  function end(): void {
    if (state !== 'ending') stage.say('Stopping: what runs is ended and goes back to waiting. Ctrl-C again: at once.')
    // CI kills us soon after: whatever grace a task asks for, the report must be written before that.
    if (state !== 'ending' && facts.isCi) {
      deps.clock.after(longestCiGraceMs, over.signal, () => hub?.hurry())
      leaveRestAfter(longestCiWaitMs)
    }
    state = 'ending'
    left.abort()
  }

  function leaveRestAfter(ms: number): void {
    deps.clock.after(ms, over.signal, () => {
      const rest = hub?.leaveRest() ?? []
      if (rest.length > 0) stage.say(sayRest(rest))
    })
  }

  function detach(): void {
    how = 'detached'
    left.abort()
  }

  async function showChoices(): Promise<void> {
    const { counts } = await client.batch(batch)
    stage.say(choicesLine({ worked, running: counts.by_status.running ?? 0, id: batch }))
  }

  return {
    left: left.signal,
    how: () => how,
    wasAsked: () => wasAsked,
    giveBack() {
      over.abort()
      keys.stop()
      takeBack()
    },
  }
}

/** The work itself lies in the worktree; only a machine that forgets its disk loses it. */
function sayRest(rest: readonly RunId[]): string {
  const named = nameSome(rest.map(formatRunId), 5)
  return `Not waited for: ${named}, whose work is still being put on record. It stays in the home; the same run goes on with it.`
}

/** `d` and Enter. Whole lines, not raw keys: a terminal that was left in raw mode by a kill is a nuisance. */
function hearDetachKey(
  { stdin }: Pick<CliDeps, 'stdin'>,
  { worked, readsStdin }: Pick<InterruptInput, 'worked' | 'readsStdin'>,
  pressed: () => void,
): { stop(): void } {
  if (worked !== 'shared' || readsStdin || !stdin.isTerminal) return { stop: () => {} }
  const { stream } = stdin
  const heard = (data: Buffer | string) => {
    if (/^d\s*$/im.test(String(data))) pressed()
  }
  stream.on('data', heard)
  return {
    stop() {
      stream.off('data', heard)
      stream.pause()
    },
  }
}
