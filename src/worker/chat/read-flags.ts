import { nearestName } from '../../kernel/index.ts'
import { type ChatFlag, type ChatFlagName, chatFlags } from './flags.ts'

/** What stands after each flag, as it was typed, in the order of typing; a switch has one empty text. */
export type TypedFlags = Partial<Record<ChatFlagName, readonly string[]>>

/** Tells flags and values apart; what is unknown, given twice or without its value is a fault. */
export function readFlags(args: readonly string[]): { readonly typed: TypedFlags; readonly faults: string[] } {
  const typed: TypedFlags = {}
  const faults: string[] = []
  const rest = [...args]
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [, dashes = '', name = '', inline] = /^(--?)([A-Za-z0-9-]+)(?:=([\s\S]*))?$/.exec(word) ?? []
    const found = dashes === '' ? undefined : findFlag(dashes, name)
    if (found === undefined) {
      faults.push(dashes === '' ? `${shorten(word)} belongs to no flag; put the prompt after -q` : unknownFlag(word))
      continue
    }
    const [key, flag] = found
    const value = flag.value === undefined ? '' : (inline ?? takeValue(rest))
    if (value === undefined) faults.push(sayMissing(flag, rest[0]))
    else if (flag.value === undefined && inline !== undefined) faults.push(`--${flag.name} takes no value`)
    else if (key in typed && flag.repeats !== true) faults.push(`--${flag.name} is given twice`)
    else typed[key] = [...(typed[key] ?? []), value]
  }
  return { typed, faults }
}

/** Undefined where a flag follows: `-q $TEXT --json` with a variable that is empty would else ask for `--json`. */
const takeValue = (rest: string[]): string | undefined => (isFlag(rest[0]) ? undefined : rest.shift())

function sayMissing({ name, value }: ChatFlag, next: string | undefined): string {
  const needs = `--${name} needs ${value}`
  return next === undefined ? needs : `${needs}, and ${next} is a flag; --${name}=${next} takes it as it is`
}

function isFlag(word = ''): boolean {
  const [, dashes = '', name = ''] = /^(--?)([A-Za-z0-9-]+)$/.exec(word) ?? []
  return dashes !== '' && findFlag(dashes, name) !== undefined
}

/** For a sentence: what somebody typed may be of any length. */
export const shorten = (text: string): string => (text.length <= 60 ? text : `${text.slice(0, 60)}…`)

function findFlag(dashes: string, name: string): readonly [ChatFlagName, ChatFlag] | undefined {
  const rows = Object.entries(chatFlags) as [ChatFlagName, ChatFlag][]
  return rows.find(([, flag]) => (dashes === '--' ? flag.name === name : flag.short === name))
}

function unknownFlag(word: string): string {
  const [typed = word] = word.split('=')
  const known = Object.values<ChatFlag>(chatFlags).map(({ name }) => `--${name}`)
  const near = nearestName(typed, known)
  return `${shorten(word)} is not known${near === undefined ? '' : `: did you mean ${near}?`}`
}
