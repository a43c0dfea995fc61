import type { ShellEvent } from './command-list.ts'
import { isKnownServer } from './known-servers.ts'
import { readShell } from './read-shell.ts'
import { deepestScript, scriptOf } from './script-of.ts'
import { unwrapCommand } from './unwrap-command.ts'

/** Why a command would not end with its shell, or not at all. */
export type Endless =
  /** It would leave something behind that nobody looks after: `&`, nohup, setsid, disown. */
  | { readonly kind: 'detaches'; readonly by: string }
  /** It is a server or a watcher. */
  | { readonly kind: 'serves'; readonly by: string }

/** What in a command keeps it from ending, if anything is known to. A guess: the time limit is what holds. */
export function findEndless(command: string): Endless | undefined {
  return findIn(command, 0)
}

const detachers = new Set(['nohup', 'setsid', 'disown', 'daemonize', 'start-stop-daemon'])

function findIn(text: string, depth: number): Endless | undefined {
  const { events } = readShell(text)
  const lastWaits = findLastWaits(events)
  let serves: Endless | undefined
  for (const [at, event] of events.entries()) {
    const found =
      event.kind === 'background' ? findLeft(at, lastWaits.get(event.scope)) : findCommand(event.words, depth)
    if (found?.kind === 'detaches') return found
    serves ??= found
  }
  return serves
}

/** Of each list the place of its last `wait`. */
function findLastWaits(events: readonly ShellEvent[]): ReadonlyMap<number, number> {
  const waits = [...events.entries()].filter(([, event]) => event.kind === 'command' && event.words[0] === 'wait')
  return new Map(waits.map(([at, { scope }]) => [scope, at]))
}

/** A `&` whose list waits for it later on leaves nothing behind. */
function findLeft(at: number, lastWait: number | undefined): Endless | undefined {
  return lastWait !== undefined && lastWait > at ? undefined : { kind: 'detaches', by: '&' }
}

function findCommand(words: readonly string[], depth: number): Endless | undefined {
  const { words: inner, ends } = unwrapCommand(words)
  const name = inner[0] ?? ''
  if (detachers.has(name)) return { kind: 'detaches', by: name }
  const script = depth < deepestScript ? scriptOf(inner) : undefined
  if (script !== undefined) return withoutServers(findIn(script, depth + 1), ends)
  if (ends === 'timed' || !isKnownServer(inner)) return undefined
  return { kind: 'serves', by: inner.join(' ').slice(0, 80) }
}

/** A server that something ends after a while is none. */
function withoutServers(found: Endless | undefined, ends: 'unknown' | 'timed'): Endless | undefined {
  return ends === 'timed' && found?.kind === 'serves' ? undefined : found
}
