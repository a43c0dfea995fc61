import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One line that a worker wrote down about itself (`worker-script.ts`). */
export type TraceLine =
  | { readonly what: 'begin'; readonly run: number; readonly atS: number }
  | { readonly what: 'end'; readonly run: number; readonly code: number; readonly atS: number }
  | { readonly what: 'dies'; readonly run: number; readonly signal: string; readonly atS: number }
  | { readonly what: 'member'; readonly run: number }
  | { readonly what: 'term'; readonly run: number; readonly atS: number }
  /** It found a process of another attempt alive. */
  | { readonly what: 'overlap'; readonly run: number; readonly with: string; readonly pid: number }
  | { readonly what: 'kept'; readonly run: number; readonly pid: number; readonly startTicks: number }
  | { readonly what: 'kept_signal'; readonly run: number; readonly signal: string }
  /** Cut in the middle, or nobody's: a finding in itself. */
  | { readonly what: 'unreadable'; readonly run: number; readonly text: string }

/** Lines by the name of the trace. */
export type Traces = ReadonlyMap<string, readonly TraceLine[]>

/** Reads what the workers of a round left. Escaped ones have traces of their own, which are no task's. */
export function readTraces(folder: string): Traces {
  const names = readdirSync(folder).filter((name) => !name.endsWith('.escaped'))
  return new Map(names.map((name) => [name, parseTrace(readFileSync(join(folder, name), 'utf8'))]))
}

/** The lines of one trace. */
export function parseTrace(text: string): readonly TraceLine[] {
  return text.split('\n').filter(Boolean).map(parseLine)
}

function parseLine(text: string): TraceLine {
  const [what, named = '', third = '', fourth = '', fifth = ''] = text.split(' ')
  const run = /^R\d+$/.test(named) ? Number(named.slice(1)) : 0
  switch (what) {
    case 'begin':
      return { what, run, atS: Number(fifth) }
    case 'end':
      return { what, run, code: Number(third), atS: Number(fourth) }
    case 'dies':
      return { what, run, signal: third, atS: Number(fourth) }
    case 'member':
      return { what, run }
    case 'term':
      return { what, run, atS: Number(third) }
    case 'overlap':
      return { what, run, with: third, pid: Number(fourth) }
    case 'kept':
      return { what, run, pid: Number(third), startTicks: Number(fourth) }
    case 'kept_signal':
      return { what, run, signal: third }
    default:
      return { what: 'unreadable', run, text }
  }
}
