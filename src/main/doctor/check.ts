/** One thing that was looked at. `says` is a fact, with its value; `fix` what to do, null where nothing is to be done. */
export interface Check {
  readonly name: string
  /** warn: it works, with something to know or to mend. bad: something does not work until it is mended. */
  readonly state: 'ok' | 'warn' | 'bad'
  readonly says: string
  readonly fix: string | null
}

export const ok = (name: string, says: string): Check => ({ name, state: 'ok', says, fix: null })
export const warn = (name: string, says: string, fix: string): Check => ({ name, state: 'warn', says, fix })
export const bad = (name: string, says: string, fix: string): Check => ({ name, state: 'bad', says, fix })
