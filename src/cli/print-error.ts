import type { ErrorView } from '../api/contract/index.ts'
import { YardError } from '../kernel/index.ts'
import { type CliDeps, exitCode } from './command.ts'
import { cliError } from './errors.ts'
import { onManyLines } from './render/visible.ts'

/**
 * Prints what went wrong on `err` with its fix and its code, or as one JSON document with `--json`, and answers the
 * exit code: 2 what the caller can mend (4xx), 1 anything else.
 */
export function printError(
  { err, env, json, paint }: Pick<CliDeps, 'err' | 'env' | 'paint'> & { readonly json: boolean },
  fault: unknown,
): number {
  const view = errorView(fault)
  if (json) err.write(`${JSON.stringify(view)}\n`)
  else err.write(`${lines(view, paint).join('\n')}\n`)
  if (env.YARDMASTER_DEBUG !== undefined && fault instanceof Error) err.write(`${fault.stack}\n`)
  return exitCodeOf(fault)
}

/** 2 for what the caller can mend, 1 for ours and the machine's. */
export function exitCodeOf(fault: unknown): number {
  const { status } = toYardError(fault)
  return status >= 400 && status < 500 ? exitCode.badInput : exitCode.ours
}

/** The same shape as the API's errors, so that a program has one thing to read. */
export function errorView(fault: unknown): ErrorView {
  const error = toYardError(fault)
  const { code, message, fix, values } = error
  const faults = faultsOf(error)
  return {
    error: {
      code,
      message,
      fix,
      ...(faults.length === 0 ? {} : { faults }),
      ...(typeof values.reference === 'string' ? { reference: values.reference } : {}),
    },
  }
}

function toYardError(fault: unknown): YardError {
  if (fault instanceof YardError) return fault
  return cliError('CLI_SURPRISE', { message: fault instanceof Error ? fault.message : String(fault) }, fault)
}

type FaultRow = NonNullable<ErrorView['error']['faults']>[number]

function faultsOf(fault: YardError): readonly FaultRow[] {
  const { faults } = fault.values
  return Array.isArray(faults) ? faults : []
}

function lines({ error }: ErrorView, paint: CliDeps['paint']): string[] {
  const head = `${paint.red('error:')} ${onManyLines(error.message)} ${paint.dim(`[${error.code}]`)}`
  const rows = (error.faults ?? []).flatMap((row) => faultLines(row, error.message))
  return [head, ...rows, `  ${paint.bold('fix:')} ${onManyLines(error.fix)}`]
}

/** A message may have named its faults itself; then they are not repeated. */
function faultLines(row: FaultRow, message: string): string[] {
  if (message.includes(row.says)) return []
  return [`  ${onManyLines(row.path)}: ${onManyLines(row.says)}`, ...(row.fix ? [`    ${onManyLines(row.fix)}`] : [])]
}
