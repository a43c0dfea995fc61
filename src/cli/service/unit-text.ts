import systemUnit from '../../../ops/systemd/yardmaster.system.service'
import userUnit from '../../../ops/systemd/yardmaster.user.service'
import { cliError } from '../errors.ts'

export type UnitKind = 'user' | 'system'

export interface UnitFacts {
  readonly kind: UnitKind
  /** Program and first arguments that start this program again, absolute. */
  readonly self: readonly string[]
  /** Absolute. */
  readonly home: string
  /** Absolute path of the yardmaster.yaml to read; null: looked for as always. */
  readonly config: string | null
  readonly path: string
  /** Whom a unit of the system runs as. */
  readonly user: string
}

/** Home of a hub of the machine, unless another is named. */
export const systemHome = '/var/lib/yardmaster'

/** Nobody but root may make a folder there: systemd makes it, and gives it to whom the unit runs as. */
const stateFolder = 'StateDirectory=yardmaster\nStateDirectoryMode=0700\n'

/**
 * The unit of systemd that keeps a hub up: the template of ops/systemd, filled in. Holds no secret: keys come from a file of the
 * user's own. Throws `CLI_BAD_USE` for a path or a user that no unit can name.
 */
export function composeUnit({ kind, self, home, config, path, user }: UnitFacts): string {
  const [node = '', program = ''] = self
  const values: Readonly<Record<string, string>> = {
    NODE: quote(node),
    PROGRAM: quote(program),
    CONFIG: config === null ? '' : ` --config ${quote(config)}`,
    HOME: quoteAssignment('YARDMASTER_HOME', home),
    PATH: quoteAssignment('PATH', path),
    USER: kind === 'system' ? userWord(user) : '',
    STATE: home === systemHome ? stateFolder : '',
  }
  return { user: userUnit, system: systemUnit }[kind].replace(/@([A-Z]+)@/g, (mark, name) => values[name] ?? mark)
}

/** A name as systemd takes it (systemd.io, "User/Group Name Syntax", the relaxed one that User= follows), or a number. */
function userWord(user: string): string {
  if (/^(?!-)[^\s\p{Cc}:/"'\\]{1,256}$/u.test(user)) return escapeSpecifiers(user)
  throw cliError('CLI_BAD_USE', { says: `${JSON.stringify(user)} is no name of a user`, fix: '--as USER' })
}

/** One argument of ExecStart (systemd.service(5), "command lines"): `$` stands for variables there, `%` for specifiers. */
const quote = (text: string): string => quoteWord(text.replaceAll('$', '$$$$'))

/** Environment= knows no variables, so a `$` is a `$`. */
const quoteAssignment = (name: string, value: string): string => quoteWord(`${name}=${value}`)

function quoteWord(text: string): string {
  if (/[\n\r\0]/.test(text)) {
    throw cliError('CLI_BAD_USE', {
      says: `a unit of systemd cannot name ${JSON.stringify(text)}`,
      fix: 'give it a path without a line break',
    })
  }
  const escaped = escapeSpecifiers(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')
  return /^[\w%+,./:=@$-]+$/.test(text) ? escaped : `"${escaped}"`
}

const escapeSpecifiers = (text: string): string => text.replaceAll('%', '%%')
