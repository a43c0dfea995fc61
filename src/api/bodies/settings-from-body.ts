import type { ExitRule, TaskSettings, WorkspaceSpec } from '../../board/index.ts'
import {
  describeSize,
  leastLogBytes,
  leastMemoryBytes,
  parseDuration,
  parseSize,
  realPath,
} from '../../kernel/index.ts'
import type { DefaultsBody } from '../contract/index.ts'
import { badRequest } from './bad-request.ts'

/** Fields of a body that are settings; the others (`lane`, `priority`, `labels`) belong to the card itself. */
export type SettingsBody = Omit<DefaultsBody, 'lane' | 'priority' | 'labels'>

/** Every field of the board's settings must be given a value here, or this file no longer compiles. */
type EverySetting = { readonly [Field in keyof Required<TaskSettings>]: TaskSettings[Field] | undefined }

/** A body's settings in the board's units; what is absent stays absent. `path` is where the body stands, for faults. */
export function settingsFromBody(body: SettingsBody, path: string): TaskSettings {
  const { timeout, stall, grace, attempts, rerun, env, workspace, exits, keeps, memory, log_limit, ...unknown } = body
  unknown satisfies Record<string, never> // a new field of the contract must be handled here before it compiles
  const at = (field: string) => (path === '' ? field : `${path}.${field}`)
  const every: EverySetting = {
    timeoutMs: timeout === undefined ? undefined : durationMs(timeout, at('timeout')),
    stallMs: stall === undefined || stall === 'off' ? stall : durationMs(stall, at('stall')),
    graceMs: grace === undefined ? undefined : durationMs(grace, at('grace')),
    attempts,
    rerun,
    env,
    workspace: workspace === undefined ? undefined : workspaceSpec(workspace, at('workspace')),
    exits: exits?.map(exitRule),
    keeps,
    memoryBytes: memory === undefined || memory === 'off' ? memory : memoryBytesOf(memory, at('memory')),
    logBytes: log_limit === undefined ? undefined : logBytesOf(log_limit, at('log_limit')),
    check: undefined,
    mayChange: undefined,
    expect: undefined,
    review: undefined,
  }
  return withoutUndefined(every)
}

/** Milliseconds of a duration whose shape was checked already. */
export function durationMs(text: string, path: string): number {
  const ms = parseDuration(text)
  if (ms !== undefined && ms > 0) return ms
  throw badRequest({
    path,
    says: `says ${text}, which is no usable time`,
    fix: 'write a duration such as 30s, 20m or 5h',
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

function workspaceSpec(workspace: NonNullable<SettingsBody['workspace']>, path: string): WorkspaceSpec {
  if (typeof workspace === 'string') return { kind: workspace }
  if (!workspace.dir.startsWith('/')) {
    // The hub's working directory says nothing about the caller's: the CLI resolves paths, never the hub.
    const says = `must be an absolute path, not ${JSON.stringify(workspace.dir)}`
    throw badRequest({ path: `${path}.dir`, says, fix: 'give the whole path, from / on' })
  }
  // By its real path: two names of one folder must not let two tasks into it.
  return { kind: 'dir', path: realPath(workspace.dir), shared: workspace.shared ?? false }
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
