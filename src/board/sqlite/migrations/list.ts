import theBoard from './0001-the-board.sql'

/** One numbered step of the schema. A released file never changes: its checksum is held by test; change means a new number. */
export interface Migration {
  readonly number: number
  readonly name: string
  readonly sql: string
  /** Of the file as it lies in the repository, lower-case hex. */
  readonly sha256: string
}

/** In order and without gaps, forward only. */
export const migrations: readonly Migration[] = [
  {
    number: 1,
    name: '0001-the-board',
    sql: theBoard,
    sha256: 'bbd5b565085a3bd7c66dcb434c692ace1989d5d5c75f033a8d32a998a1b757be',
  },
]
