/** One row of a part's catalogue. `says` gets the values of this case; `fix` is what the reader should do now. */
export interface ErrorRow<Values> {
  /** HTTP status. 4xx is the caller's to mend (CLI exit 2); 5xx is ours or the machine's (CLI exit 1). */
  readonly status: number
  readonly says: (values: Values) => string
  readonly fix: string | ((values: Values) => string)
}

/** An error of a catalogue: what failed, with which value, and what to do. Anything else that is thrown is a surprise. */
export class YardError extends Error {
  readonly code: string
  readonly status: number
  readonly fix: string
  readonly values: Readonly<Record<string, unknown>>

  constructor(row: {
    code: string
    status: number
    message: string
    fix: string
    values: Readonly<Record<string, unknown>>
    cause?: unknown
  }) {
    super(row.message, row.cause === undefined ? undefined : { cause: row.cause })
    this.name = 'YardError'
    this.code = row.code
    this.status = row.status
    this.fix = row.fix
    this.values = row.values
  }
}

/**
 * Whether it is an error of a catalogue, whichever bundle has made it: parts of a worker that are loaded later are
 * programs of their own, with a class of that name of their own.
 */
export function isYardError(fault: unknown): fault is YardError {
  return fault instanceof Error && fault.name === 'YardError' && 'code' in fault && 'fix' in fault
}

// biome-ignore lint/suspicious/noExplicitAny: each row has values of its own; `any` is what lets one record hold them all
type Catalogue = Readonly<Record<string, ErrorRow<any>>>
type ValuesOf<Row> = Row extends ErrorRow<infer Values> ? Values : never

/** The maker of one part's errors. Its `catalogue` is compared with docs/errors.md, both ways. */
export interface ErrorMaker<C extends Catalogue> {
  <Code extends keyof C & string>(code: Code, values: ValuesOf<C[Code]>, cause?: unknown): YardError
  readonly catalogue: C
}

/** Codes start with the part's name (`BOARD_…`) and are never reused. */
export function defineErrors<const C extends Catalogue>(catalogue: C): ErrorMaker<C> {
  const make = (code: string, values: Record<string, unknown>, cause?: unknown): YardError => {
    const row = catalogue[code]
    if (row === undefined) throw new Error(`no catalogue row for ${code}`)
    const fix = typeof row.fix === 'string' ? row.fix : row.fix(values)
    return new YardError({ code, status: row.status, message: row.says(values), fix, values, cause })
  }
  return Object.assign(make, { catalogue }) as ErrorMaker<C>
}

/** Makes a forgotten alternative a compile error, and names it if untyped data ever gets here. */
export function assertNever(value: never): never {
  throw new Error(`unexpected alternative: ${JSON.stringify(value)}`)
}
