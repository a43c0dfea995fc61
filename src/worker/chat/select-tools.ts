import { suggestName, toolNames } from '../../kernel/index.ts'
import type { Tool } from '../tools/tool.ts'

/**
 * The tools that a worker may use: what its lane allows, less what operator or lane switch off, whatever task or model ask
 * for. A name that no tool has is said instead: it would else allow, or forbid, nothing without a word.
 */
export function selectTools(
  tools: readonly Tool[],
  { allowed, off }: { readonly allowed: readonly string[] | null; readonly off: readonly string[] },
): { readonly tools: readonly Tool[]; readonly faults: readonly string[] } {
  const names: readonly string[] = toolNames // also those that only some workers have: a lane names them for all of its own
  const faults = [...(allowed ?? []), ...off]
    .filter((name) => !names.includes(name))
    .map((name) => `there is no tool ${name}: ${suggestName(name, names)}`)
  const isAllowed = ({ name }: Tool) => (allowed === null || allowed.includes(name)) && !off.includes(name)
  return { tools: tools.filter(isAllowed), faults }
}
