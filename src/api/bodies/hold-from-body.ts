import type { Hold } from '../../board/index.ts'
import { suggestName } from '../../kernel/index.ts'
import type { HoldBody } from '../contract/index.ts'
import { badRequest } from './bad-request.ts'

/** Names that a hold may be for. */
export interface HoldableNames {
  readonly lane: readonly string[]
  readonly account: readonly string[]
}

/** Whom a pause, drain or resume is for. A lane or account that nobody has is refused, because it would hold nothing. */
export function holdScopeFromBody(
  names: HoldableNames,
  { scope, name, text }: HoldBody,
): Pick<Hold, 'scope' | 'name' | 'text'> {
  if (scope === 'all') {
    if (name === undefined) return { scope, name: null, text: text ?? null }
    throw badRequest({ path: 'name', says: 'has no meaning with scope all', fix: 'leave name out, or name a scope' })
  }
  if (name === undefined) throw badRequest({ path: 'name', says: 'is missing', fix: `name the ${scope}` })
  const known = scope === 'board' ? [name] : names[scope]
  if (known.includes(name)) return { scope, name, text: text ?? null }
  throw badRequest({ path: 'name', says: `names no ${scope}: "${name}"`, fix: suggestName(name, [...new Set(known)]) })
}
