import { readFileSync, statSync } from 'node:fs'
import { Compile, Meta } from 'typebox/schema'
import { isDeeperThan, isFields } from '../../kernel/index.ts'
import { workerError } from '../errors.ts'
import type { AnswerCheck, CheckedAnswer } from './answer-check.ts'
import { findBadReferences } from './find-bad-references.ts'
import { readJsonAnswer } from './read-json-answer.ts'

const largestBytes = 1_024 * 1_024
const deepestSchema = 100
const newestDraft = 'https://json-schema.org/draft/2020-12/schema'

/**
 * The check of `--output-schema FILE`. A schema that is broken is refused here, before anything was asked: throws
 * `WORKER_SCHEMA_FAULTY`. Loaded only where one is given, because its validator takes longer to start than the rest.
 */
export function loadAnswerCheck(file: string): AnswerCheck {
  const schema = parseSchema(readSchema(file), file)
  const validator = compile(schema, file)
  return {
    instructions: [
      'Your answer must be one JSON value that fits this JSON Schema, and nothing else: no text around it, no fence.',
      JSON.stringify(schema),
    ].join('\n\n'),
    check(text): CheckedAnswer {
      const read = readJsonAnswer(text)
      if (!read.ok) return read
      const [fits, errors] = validator.Errors(read.value)
      return fits ? read : { ok: false, says: sayFaults(errors) }
    },
  }
}

type SchemaErrors = ReturnType<ReturnType<typeof Compile>['Errors']>[1]

function readSchema(file: string): string {
  try {
    const stat = statSync(file)
    if (!stat.isFile()) throw faulty(file, ['it is no plain file'])
    if (stat.size > largestBytes) throw faulty(file, [`it has ${stat.size} bytes, more than ${largestBytes}`])
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'WORKER_SCHEMA_FAULTY') throw cause
    if (code === 'ENOENT') throw faulty(file, ['it does not exist'], cause)
    throw faulty(file, [code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8 text' : message], cause)
  }
}

function parseSchema(text: string, file: string): Readonly<Record<string, unknown>> {
  let schema: unknown
  try {
    schema = JSON.parse(text)
  } catch (cause) {
    throw faulty(file, [`it is not JSON: ${(cause as Error).message}`], cause)
  }
  if (!isFields(schema)) throw faulty(file, ['it is no map of keywords'])
  if (isDeeperThan(schema, deepestSchema)) throw faulty(file, [`it is nested more than ${deepestSchema} levels deep`])
  return schema
}

function compile(schema: Readonly<Record<string, unknown>>, file: string): ReturnType<typeof Compile> {
  const [isSchema, errors] = Compile(draftOf(schema, file)).Errors(schema)
  const faults = isSchema ? findBadReferences(schema) : [sayFaults(errors)]
  if (faults.length > 0) throw faulty(file, faults)
  try {
    return Compile(schema)
  } catch (cause) {
    throw faulty(file, [(cause as Error).message], cause) // such as a pattern that is none
  }
}

function draftOf({ $schema }: Readonly<Record<string, unknown>>, file: string): object {
  const drafts: Readonly<Record<string, object>> = Meta
  const named = typeof $schema === 'string' ? $schema : newestDraft
  const draft = drafts[named] ?? drafts[named.replace(/#$/, '')] ?? drafts[`${named}#`]
  if (draft === undefined) throw faulty(file, [`$schema ${named.slice(0, 100)} is no draft that is known here`])
  return draft
}

/** `files.0 must be string; …`. The validator stops at the eighth, and more would hide the first. */
function sayFaults(errors: SchemaErrors): string {
  // `schema is false` is always followed by the sentence that says which field is meant.
  const told = errors.filter(({ keyword }) => keyword !== 'boolean').map(sayFault)
  return [...new Set(told)].join('; ')
}

function sayFault({ instancePath, message, params }: SchemaErrors[number]): string {
  const where = instancePath === '' ? 'it' : instancePath.slice(1).replaceAll('/', '.')
  const { additionalProperties, allowedValues } = params as {
    readonly additionalProperties?: readonly string[]
    readonly allowedValues?: readonly unknown[]
  }
  if (additionalProperties !== undefined) return `${where} must not have ${additionalProperties.join(', ')}`
  if (allowedValues !== undefined) return `${where} must be one of ${JSON.stringify(allowedValues)}`
  return `${where} ${message}`
}

const faulty = (file: string, faults: readonly string[], cause?: unknown) =>
  workerError('WORKER_SCHEMA_FAULTY', { file, faults }, cause)
