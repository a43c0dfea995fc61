/**
 * `${{ scope.name }}` in texts of batch files and lanes. Some are known when the file is read (`matrix`, `env`), the
 * others only when the task starts (`task`, `needs`): whoever fills what it knows leaves the rest in place for the
 * next. `$${{` stands for a plain `${{` and is the way to write one; it is taken off by the last filler.
 */
export interface Placeholder {
  /** `matrix`, `task`, `env`, `needs`, or whatever was written before the first dot. */
  readonly scope: string
  /** All behind the first dot: `repo`, `prompt_file`, `lint[src/a.ts].result`. Empty when there is no dot. */
  readonly name: string
  /** As written, braces and all. */
  readonly written: string
  /** Offset of its first character in the text. */
  readonly at: number
}

/** What `${{ task.… }}` knows when a task starts. */
export const taskPlaceholders = ['id', 'key', 'title', 'dir', 'attempt', 'prompt_file', 'run_dir'] as const

/** What `${{ needs.KEY.… }}` knows of a task that ended before. */
export const needPlaceholders = ['result', 'outcome', 'output'] as const

/** What it knows besides in `workspace.ref`: where the work of that task lies in git. */
export const refPlaceholders = ['branch', 'commit'] as const

/** Every placeholder of a text, in order; escaped ones are none. */
export function findPlaceholders(text: string): readonly Placeholder[] {
  if (!text.includes('${{')) return []
  return [...text.matchAll(pattern)].filter((match) => match[1] === undefined).map(parse)
}

/** The text with each placeholder replaced by what `fill` answers; `undefined` leaves it as written. Escapes stay. */
export function fillPlaceholders(text: string, fill: (placeholder: Placeholder) => string | undefined): string {
  if (!text.includes('${{')) return text
  let filled = ''
  let done = 0
  for (const placeholder of findPlaceholders(text)) {
    const value = fill(placeholder)
    if (value === undefined) continue
    filled += text.slice(done, placeholder.at) + value
    done = placeholder.at + placeholder.written.length
  }
  return filled + text.slice(done)
}

/** For the last filler: `$${{` becomes `${{`. */
export const unescapePlaceholders = (text: string): string => text.replaceAll('$${{', '${{')

/** `lint[src/a.ts].result` of scope `needs`: the key of the needed task and the field of it; undefined without a dot. */
export function splitNeed(name: string): { readonly key: string; readonly field: string } | undefined {
  const dot = name.lastIndexOf('.')
  return dot <= 0 ? undefined : { key: name.slice(0, dot), field: name.slice(dot + 1) }
}

const pattern = /(\$)?\$\{\{\s*((?:(?!\}\})[^\n])*?)\s*\}\}/g

function parse(match: RegExpExecArray): Placeholder {
  const [written, , inside = ''] = match
  const dot = inside.indexOf('.')
  return {
    scope: dot < 0 ? inside : inside.slice(0, dot),
    name: dot < 0 ? '' : inside.slice(dot + 1),
    written,
    at: match.index,
  }
}
