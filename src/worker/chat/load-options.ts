import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ChatSettings } from '../../runs/index.ts'
import { workerError } from '../errors.ts'
import type { ParsedArguments, WrittenOptions } from './parse-arguments.ts'
import { type ChatOptions, resolveSettings } from './resolve-settings.ts'
import type { TakenEnvironment } from './take-environment.ts'

/** Where a person's `chat` looks for what its line names. */
export interface ChatPlace {
  /** Absolute: what relative paths of the line start at. */
  readonly cwd: string
  readonly taken: TakenEnvironment
}

export interface LoadedOptions {
  readonly options: ChatOptions
  /** Absolute; exists. */
  readonly folder: string
  /** The key to ask with; undefined: none is needed, or none was found. */
  readonly apiKey: string | undefined
}

/**
 * The line, the files that it names and the environment, put together once. Throws `WORKER_BAD_ARGUMENTS` with every
 * fault of all of them.
 */
export async function loadOptions(
  { cwd, taken }: ChatPlace,
  { written, faults }: Extract<ParsedArguments, { readonly kind: 'written' }>,
): Promise<LoadedOptions> {
  const found = [...faults]
  const paths = resolvePaths(written, cwd)
  const folder = paths.cwd ?? cwd
  if (paths.cwd !== undefined && !isFolder(paths.cwd)) found.push(`--cwd ${written.cwd} is no folder that exists`)
  const lane = await readSources(paths, { folder: isFolder(folder) ? folder : cwd, taken }, found)
  const resolved = resolveSettings({
    written: paths,
    faults: found,
    settings: lane?.settings,
    personsBaseUrl: taken.baseUrl,
  })
  if (!resolved.ok) throw workerError('WORKER_BAD_ARGUMENTS', { faults: resolved.faults })
  return { options: resolved.options, folder, apiKey: lane?.apiKey ?? taken.apiKey }
}

interface Source {
  readonly settings: ChatSettings
  /** Of the lane's account, where it names one. */
  readonly apiKey?: string
}

/** Loaded only where one is given: most of what a person types needs neither. */
async function readSources(
  { settingsFile, lane }: WrittenOptions,
  place: { readonly folder: string; readonly taken: TakenEnvironment },
  faults: string[],
): Promise<Source | undefined> {
  if (settingsFile !== undefined) {
    const { readSettings } = await import('./read-settings.ts')
    const read = readSettings(settingsFile)
    if (!read.ok) faults.push(...read.faults)
    return read.ok ? read : undefined
  }
  if (lane === undefined) return undefined
  const { readLane } = await import('./read-lane.ts')
  const read = await readLane(lane, place)
  if (!read.ok) faults.push(...read.faults)
  return read.ok ? read : undefined
}

/** What a line names lies where it was typed, whatever folder the work is in. */
function resolvePaths(written: WrittenOptions, cwd: string): WrittenOptions {
  const at = (path: string | undefined) => (path === undefined ? undefined : resolve(cwd, path))
  const { board } = written
  return {
    ...written,
    promptFile: at(written.promptFile),
    systemFile: at(written.systemFile),
    continues: at(written.continues),
    cwd: at(written.cwd),
    settingsFile: at(written.settingsFile),
    outputSchemaFile: at(written.outputSchemaFile),
    transcriptFile: at(written.transcriptFile),
    board: board === undefined ? undefined : { ...board, reportFile: resolve(cwd, board.reportFile) },
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
