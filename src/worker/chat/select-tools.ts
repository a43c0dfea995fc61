import type { Tool } from '../tools/tool.ts'

/**
 * The tools that a worker may use: what its lane allows, less what operator or lane switch off, whatever task or model ask
 * for.
 */
export function selectTools(
  tools: readonly Tool[],
  { allowed, off }: { readonly allowed: readonly string[] | null; readonly off: readonly string[] },
): readonly Tool[] {
  return tools.filter(({ name }) => (allowed === null || allowed.includes(name)) && !off.includes(name))
}
