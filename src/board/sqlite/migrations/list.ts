import theBoard from './0001-the-board.sql'
import processTruth from './0002-process-truth.sql'
import theCode from './0003-the-code.sql'

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
    sha256: 'cbf57659a9a7ec614a1773d80623bc741bcedafdb3fc354f4615c2c05d0f4987',
  },
  {
    number: 2,
    name: '0002-process-truth',
    sql: processTruth,
    sha256: '195087a871e7527bca0a67a9bf7e4b81bdcbe0bd058c500cef7ee4f34930d808',
  },
  {
    number: 3,
    name: '0003-the-code',
    sql: theCode,
    sha256: 'bbd66cab8b3444bcd92cfdd663944ef0fdfffd573603707378364b01f1913b31',
  },
]
