import type { HealthView } from '../../api/contract/index.ts'
import { isOurs } from '../../kernel/index.ts'
import { onOneLine } from './visible.ts'

type Hold = HealthView['holds'][number]

/** The hub holds a lane that lacks something: a person cannot lift that, only bring what is missing. */
export const lacksSomething = ({ scope, by }: Hold): boolean => scope === 'lane' && isOurs(by)

/** `everything`, `lane chat`. */
export const heldName = ({ scope, name }: Pick<Hold, 'scope' | 'name'>): string =>
  scope === 'all' ? 'everything' : `${scope} ${name}`

/** `Start again: yardmaster resume --lane chat`, or what else ends it. */
export function howItEnds(hold: Hold): string {
  if (lacksSomething(hold)) return 'After mending it: yardmaster up -d --replace'
  return `Start again: yardmaster resume${hold.scope === 'all' ? '' : ` --${hold.scope} ${hold.name}`}`
}

/** `lane chat cannot start anything: no model: write lanes.chat.model in yardmaster.yaml`. */
export const sayLack = (hold: Hold): string =>
  `${heldName(hold)} cannot start anything${hold.text === null ? '' : `: ${onOneLine(hold.text)}`}`
