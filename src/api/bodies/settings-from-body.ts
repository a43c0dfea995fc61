import type { ExitRule, TaskSettings } from '../../board/index.ts'
import { readBudget } from '../../kernel/config/index.ts'
import { describeSize, leastLogBytes, leastMemoryBytes, parseSize } from '../../kernel/index.ts'
import type { DefaultsBody } from '../contract/index.ts'
import { badRequest } from './bad-request.ts'
import { durationMs } from './duration-ms.ts'
import { checkFromBody, workspaceFromBody } from './workspace-from-body.ts'

/** Fields of a body that are settings; the others (`lane`, `priority`, `labels`) belong to the card itself. */
export type SettingsBody = Omit<DefaultsBody, 'lane' | 'priority' | 'labels'>

/** Every field of the board's settings must be given a value here, or this file no longer compiles. */
type EverySetting = { readonly [Field in keyof Required<TaskSettings>]: TaskSettings[Field] | undefined }

/** A body's settings in the board's units; what is absent stays absent. `path` is where the body stands, for faults. */
export function settingsFromBody(body: SettingsBody, path: string): TaskSettings {
  const { timeout, stall, grace, attempts, rerun, env, workspace, exits, keeps, memory, log_limit, ...judging } = body
  const { check, may_change, expect, review, budget, ...unknown } = judging
  unknown satisfies Record<string, never> // a new field of the contract must be handled here before it compiles
  const at = (field: string) => (path === '' ? field : `${path}.${field}`)
  const { budgetTokens, budgetUsd } = budgetOf(budget, at('budget'))
  const every: EverySetting = {
    timeoutMs: timeout === undefined ? undefined : durationMs(timeout, at('timeout')),
    stallMs: stall === undefined || stall === 'off' ? stall : durationMs(stall, at('stall')),
    graceMs: grace === undefined ? undefined : durationMs(grace, at('grace')),
    attempts,
    rerun,
    env,
    workspace: workspace === undefined ? undefined : workspaceFromBody(workspace, at('workspace')),
    exits: exits?.map(exitRule),
    keeps,
    memoryBytes: memory === undefined || memory === 'off' ? memory : memoryBytesOf(memory, at('memory')),
    logBytes: log_limit === undefined ? undefined : logBytesOf(log_limit, at('log_limit')),
    check: check === undefined ? undefined : checkFromBody(check, at('check')),
    mayChange: typeof may_change === 'string' ? [may_change] : may_change,
    expect,
    review: review === undefined || review === 'none' || review === 'person' ? review : { lane: review },
    budgetTokens,
    budgetUsd,
  }
  return withoutUndefined(every)
}

/** Of a budget whose shape was checked already. */
function budgetOf(written: SettingsBody['budget'], path: string): Pick<TaskSettings, 'budgetTokens' | 'budgetUsd'> {
  const budget = readBudget(written)
  if (written?.tokens === undefined || budget.budgetTokens !== undefined) return budget
  throw badRequest({
    path: `${path}.tokens`,
    says: `says ${written.tokens}, which is no whole number`,
    fix: 'write a number such as 500k or 5M',
  })
}

/** Of a size whose shape was checked already. */
function logBytesOf(text: string, path: string): number {
  const bytes = parseSize(text)
  if (bytes !== undefined && bytes >= leastLogBytes) return bytes
  const says = `says ${text}, which is less than ${describeSize(leastLogBytes)} or no usable size`
  throw badRequest({ path, says, fix: 'write a size such as 20MiB' })
}

/** Of a size whose shape was checked already. */
function memoryBytesOf(text: string, path: string): number {
  const bytes = parseSize(text)
  if (bytes !== undefined && bytes >= leastMemoryBytes) return bytes
  const says = `says ${text}, which is less than ${describeSize(leastMemoryBytes)} or no usable size`
  throw badRequest({ path, says, fix: 'write a size such as 4GiB' })
}

function exitRule({ code, ...rule }: NonNullable<SettingsBody['exits']>[number]): ExitRule {
  return code === undefined ? rule : { ...rule, code: typeof code === 'number' ? [code] : code }
}

/** `undefined` and "absent" are different things in the board's types. */
export function withoutUndefined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }
}
