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
  let serves: Endless | undefined
  for (const [at, event] of events.entries()) {
    const found = event.kind === 'background' ? findLeft(events, at) : findCommand(event.words, depth)
    if (found?.kind === 'detaches') return found
    serves ??= found
  }
  return serves
}

/** A `&` whose list waits for it later on leaves nothing behind. */
function findLeft(events: readonly ShellEvent[], at: number): Endless | undefined {
  const scope = events[at]?.scope
  const isAwaited = events.some(
    (event, place) => place > at && event.kind === 'command' && event.scope === scope && event.words[0] === 'wait',
  )
  return isAwaited ? undefined : { kind: 'detaches', by: '&' }
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
