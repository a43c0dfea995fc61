import {
  findPlaceholders,
  needPlaceholders,
  type Placeholder,
  splitNeed,
  suggestName,
  taskPlaceholders,
} from '../../kernel/index.ts'

/** What a text of a batch file may refer to: the scopes that are known there, and the names in each. */
export interface KnownNames {
  readonly scopes: readonly Scope[]
  readonly matrix: readonly string[]
  /** Keys, as written, of the tasks that this one needs. */
  readonly needs: readonly string[]
  /** What may be asked of them; a result, an outcome or an output where it is not said. */
  readonly needFields?: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
}
export type Scope = 'matrix' | 'task' | 'env' | 'needs'

export interface PlaceholderFault {
  /** Offset in the text. */
  readonly at: number
  readonly says: string
  readonly fix: string
}

/** Every placeholder of `text` that means nothing there, with the nearest name that does. */
export function checkPlaceholders(text: string, known: KnownNames): readonly PlaceholderFault[] {
  const found = findPlaceholders(text)
  const faults = found.flatMap((placeholder) => {
    const words = faultOf(placeholder, known)
    return words === undefined ? [] : [{ at: placeholder.at, ...words }]
  })
  return [...faults, ...unclosed(text, found)]
}

type Words = { readonly says: string; readonly fix: string } | undefined

function faultOf(placeholder: Placeholder, known: KnownNames): Words {
  const { scope, name, written } = placeholder
  if (!isScope(scope)) return unknownScope(placeholder, known)
  if (!known.scopes.includes(scope)) {
    return {
      says: `holds ${written}, which is not known here`,
      fix: `${scopePlaces[scope]}; here: ${listed(known.scopes)}`,
    }
  }
  switch (scope) {
    case 'matrix':
      return nameFault(placeholder, known.matrix)
    case 'task':
      return nameFault(placeholder, taskPlaceholders)
    case 'env':
      return known.env[name] === undefined
        ? { says: `holds ${written}, and ${name} is not set`, fix: `set ${name} where you type the command` }
        : undefined
    case 'needs':
      return needFault(placeholder, known)
  }
}

const scopePlaces: Readonly<Record<Scope, string>> = {
  matrix: 'matrix is known in a task that has one',
  task: 'task is known when the task starts: in prompts and in list-form run',
  needs: 'needs is known when the task starts: in prompts, in list-form run and in workspace.ref',
  env: 'env is known in name, key, matrix and workspace',
}

const scopes = ['matrix', 'task', 'env', 'needs'] as const satisfies readonly Scope[]
const isScope = (text: string): text is Scope => (scopes as readonly string[]).includes(text)
const listed = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '))

function unknownScope({ scope, written }: Placeholder, known: KnownNames): Words {
  if (scope === 'event') {
    return { says: `holds ${written}`, fix: 'event is known in notify alone, which is not available yet' }
  }
  return { says: `holds ${written}, and ${scope || 'nothing'} is not known`, fix: suggestName(scope, known.scopes) }
}

function nameFault({ scope, name, written }: Placeholder, names: readonly string[]): Words {
  if (names.includes(name)) return undefined
  return {
    says: `holds ${written}, which is not known`,
    fix: suggestName(
      `${scope}.${name}`,
      names.map((known) => `${scope}.${known}`),
    ),
  }
}

function needFault({ name, written }: Placeholder, { needs, needFields }: KnownNames): Words {
  const need = splitNeed(name)
  const fields = needFields ?? needPlaceholders
  if (need === undefined || !fields.includes(need.field)) {
    return { says: `holds ${written}`, fix: `write needs.TASK.FIELD; FIELD is ${fields.join(', ')}` }
  }
  if (needs.includes(need.key)) return undefined
  return {
    says: `holds ${written}, and this task does not need ${need.key}`,
    fix: needs.length === 0 ? `add needs: ${need.key}` : suggestName(need.key, needs),
  }
}

function unclosed(text: string, found: readonly Placeholder[]): readonly PlaceholderFault[] {
  const starts = [...text.matchAll(/(?<!\$)\$\{\{/g)].map(({ index }) => index)
  const at = starts.find((start) => !found.some((placeholder) => placeholder.at === start))
  if (at === undefined) return []
  return [
    {
      at,
      says: 'has an opening brace pair without its end',
      fix: 'close it, or write $${{ for the three characters themselves',
    },
  ]
}
