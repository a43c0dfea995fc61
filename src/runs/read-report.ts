import { isUtf8 } from 'node:buffer'
import { closeSync, fstatSync, readSync } from 'node:fs'
import Type, { type TSchema } from 'typebox'
import { Check, Errors } from 'typebox/value'
import { isDeeperThan, isShortage, type RunId } from '../kernel/index.ts'
import { mostArtifacts } from './attachments/collect-artifacts.ts'
import { readErrorRecord } from './error-record.ts'
import { openRunFileIfAny } from './open-run-file.ts'
import {
  mostCounts,
  mostLeft,
  mostLeftCharacters,
  mostReportBytes,
  mostResultBytes,
  type ReadReport,
  type RunReport,
} from './report.ts'

/**
 * The report of a run, or why it is not used. A report is untrusted: the worker's own children may have written it. It
 * must be a regular file and no link, of this run and fence, and of the one schema; whatever else is there is refused.
 * Throws the system's error when the machine is short of something: then nothing is known of the report yet.
 */
export function readReport(path: string, of: { readonly run: RunId; readonly fence: number }): ReadReport {
  const read = readSmallFile(path)
  if (read.kind !== 'text') return read
  const said = parseReport(read.text)
  if (said.kind === 'report' && (said.report.run !== of.run || said.report.fence !== of.fence)) {
    return refused(`it is of another attempt (R${said.report.run}, number ${said.report.fence})`)
  }
  return said
}

function refused(why: string): ReadReport {
  return { kind: 'refused', why }
}

function readSmallFile(path: string): ReadReport | { readonly kind: 'text'; readonly text: string } {
  let descriptor: number | undefined
  try {
    descriptor = openRunFileIfAny(path)
    if (descriptor === undefined) return { kind: 'absent' }
    const stat = fstatSync(descriptor)
    if (!stat.isFile()) return refused('it is not a regular file')
    if (stat.nlink > 1) return refused('it is a link to another file')
    if (stat.size > mostReportBytes) return refused(`it has ${stat.size} bytes, more than ${mostReportBytes}`)
    const buffer = Buffer.alloc(mostReportBytes)
    const bytes = buffer.subarray(0, readSync(descriptor, buffer, 0, buffer.length, 0))
    return isUtf8(bytes) ? { kind: 'text', text: bytes.toString('utf8') } : refused('it is not UTF-8')
  } catch (fault) {
    const { code, message } = fault as NodeJS.ErrnoException
    if (isShortage(code)) throw fault
    switch (code) {
      case 'ENOENT':
        return refused('the directory of the attempt is gone')
      case 'ENOTDIR':
        return refused('something else stands where the directory of the attempt was')
      case 'ELOOP':
        return refused('it is a link')
      case 'ENXIO': // a socket
        return refused('it is not a regular file')
      default:
        return refused(`it cannot be read: ${message}`)
    }
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function parseReport(text: string): ReadReport {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return refused('it is not JSON')
  }
  const schema = reportSchema()
  if (!Check(schema, value)) return refused(sayFault(schema, value))
  const { reason, message, retryAt, needsHuman, result, data, usage, delivery, served, turns, error, ...said } = value
  if (isDeeperThan(data, deepestData)) return refused(`data is nested more than ${deepestData} levels deep`)
  const explained = readErrorRecord(error)
  return {
    kind: 'report',
    report: {
      ...withoutNulls(said),
      reason: reason ?? null,
      message: message ?? null,
      retryAt: retryAt ?? null,
      needsHuman: needsHuman ?? null,
      result: result ?? null,
      data: data ?? null,
      usage: usage ?? null,
      delivery: delivery ?? null,
      served: served ?? false,
      turns: turns ?? null,
      ...(explained === undefined ? {} : { error: explained }),
    } satisfies RunReport,
  }
}

/** What may be left out altogether: null says no more than its absence. */
function withoutNulls<Said extends object>(said: Said): { [Name in keyof Said]: Exclude<Said[Name], null> } {
  const entries = Object.entries(said).filter(([, value]) => value !== null)
  return Object.fromEntries(entries) as { [Name in keyof Said]: Exclude<Said[Name], null> }
}

/** Whoever walks it later does so by recursion; JSON itself sets no limit, and 256 KiB hold a hundred thousand levels. */
const deepestData = 100

function sayFault(schema: TSchema, value: unknown): string {
  for (const { keyword, instancePath, message, params } of Errors(schema, value)) {
    if (keyword === 'boolean') continue // the row that follows it names the unknown field
    const unknown = (params as { additionalProperties?: readonly string[] }).additionalProperties
    if (unknown !== undefined) return `unknown field ${unknown.join(', ')}`
    return `${instancePath === '' ? 'it' : instancePath.slice(1).replaceAll('/', '.')} ${message}`
  }
  return 'it does not fit the schema'
}

let made: ReturnType<typeof makeSchema> | undefined

/** Made at the first report, so that a worker, which only writes one, does not pay for it. */
function reportSchema() {
  made ??= makeSchema()
  return made
}

/** What has no value may be left out, so that a script can write a report by hand: four fields are enough. */
function makeSchema() {
  const orNull = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
  // Larger ones are not exact, and no column takes the largest.
  const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
  return Type.Object(
    {
      schema: Type.Literal(1),
      run: Type.Unsafe<RunId>(Type.Integer({ minimum: 1 })),
      fence: Type.Integer({ minimum: 0 }),
      status: Type.Enum(['completed', 'failed', 'partial', 'wall', 'interrupted']),
      reason: orNull(Type.String({ maxLength: 64 })),
      message: orNull(Type.String({ maxLength: 500 })),
      retryAt: orNull(Type.String({ maxLength: 64 })),
      needsHuman: orNull(Type.Enum(['money', 'access'])),
      result: orNull(Type.String({ maxLength: mostResultBytes })),
      data: Type.Optional(Type.Unknown()),
      usage: orNull(
        Type.Object(
          { inputTokens: count, cachedTokens: count, outputTokens: count, calls: count },
          { additionalProperties: false },
        ),
      ),
      delivery: orNull(Type.Enum(['board_unreachable'])),
      served: Type.Optional(Type.Boolean()),
      turns: orNull(count),
      error: Type.Optional(Type.Unknown()),
      model: orNull(Type.String({ maxLength: 200 })),
      costUsd: orNull(Type.Number({ minimum: 0, maximum: 1e9 })),
      counts: orNull(
        Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }), count, {
          additionalProperties: false,
          maxProperties: mostCounts,
        }),
      ),
      compactions: orNull(count),
      left: orNull(Type.Array(Type.String({ maxLength: mostLeftCharacters }), { maxItems: mostLeft })),
      transcript: orNull(Type.Object({ bytes: count, cut: Type.Boolean() }, { additionalProperties: false })),
      verdict: orNull(
        Type.Object(
          { decision: Type.Enum(['approve', 'reject']), text: Type.String({ maxLength: mostResultBytes }) },
          { additionalProperties: false },
        ),
      ),
      artifacts: orNull(
        Type.Array(
          Type.Object(
            { path: Type.String({ minLength: 1, maxLength: 4_096 }), name: orNull(Type.String({ maxLength: 200 })) },
            { additionalProperties: false },
          ),
          { maxItems: mostArtifacts },
        ),
      ),
    },
    { additionalProperties: false },
  )
}
