import { readFileSync, statSync } from 'node:fs'
import { systemClock } from '../index.ts'
import type { SecretRef } from './yard-config.ts'

/** A secret's value for this moment, never stored; or, in words for people, why there is none. */
export type Secret =
  | { readonly ok: true; readonly value: string | null }
  /** `OPENAI_API_KEY is not set`; never holds a secret. */
  | { readonly ok: false; readonly says: string }

type Env = Readonly<Record<string, string | undefined>>

/** A password manager that asks for a passphrase would wait for ever: every gate has a deadline and fails closed. */
const commandDeadlineMs = 10_000
const longestSecretBytes = 64 * 1024
/** An agent that a password manager leaves behind may hold its output open for ever: who has ended has said all by then. */
const drainMs = 200

/** Takes the secret from where the reference says. `none` is a secret that is not needed: value null. */
export async function readSecret(ref: SecretRef, { env }: { readonly env: Env }): Promise<Secret> {
  if (ref === 'none') return { ok: true, value: null }
  if ('env' in ref) return fromEnv(ref.env, env)
  if ('file' in ref) return fromFile(ref.file)
  return await fromCommand(ref.command, env)
}

/**
 * The same of an account's key, checked before anything is launched with it: what no server could take, or what stands in the
 * place of a key in examples and in masked texts, is told as such. It never holds any of it.
 */
export async function readKey(ref: SecretRef, deps: { readonly env: Env }): Promise<Secret> {
  const read = await readSecret(ref, deps)
  const wrong = read.ok && read.value !== null ? whyNoKey(read.value) : undefined
  return wrong === undefined ? read : { ok: false, says: `${sayPlace(ref)} holds no key: ${wrong}` }
}

/** What is wrong with a text as a key; undefined where it could be one. */
export function whyNoKey(value: string): string | undefined {
  if (/[\r\n]/.test(value)) return 'it has more than one line'
  if (/\s/.test(value)) return 'there are blanks in it'
  if (!/^[\x21-\x7e]*$/.test(value)) return 'it has characters that no header can carry'
  if (masked.test(value)) return 'it is masked, as if it was copied from a log or a page'
  if (placeholder.test(value)) return 'it is a placeholder from an example'
  return undefined
}

/** `***`, `sk-…abcd`, `sk-...abcd`, `[secret]`, `<redacted>`, and keys of nothing but x behind their first letters. */
const masked =
  /\*{3}|\.{3}|\[(?:secret|redacted|hidden)\]|<(?:secret|redacted|hidden)>|^(?:[a-z0-9]{1,10}[-_]){0,3}x{6,}$/i

/** `$OPENAI_API_KEY`, `${KEY}`, `<your key>`, `your-api-key-here`, `changeme`. */
const placeholder =
  /^\$\{?\w+\}?$|^<[^>]*>$|^(?:[a-z0-9]{1,10}[-_])?(?:your|my|insert|replace|enter)[-_]?(?:\w+[-_])?(?:api[-_]?)?(?:key|token|secret)(?:[-_]?here)?$|^change[-_]?me$/i

const sayPlace = (ref: SecretRef): string =>
  ref === 'none' ? 'it' : 'env' in ref ? ref.env : 'file' in ref ? ref.file : (ref.command[0] ?? 'its command')

function fromEnv(name: string, env: Env): Secret {
  const value = env[name]?.trim()
  return value === undefined || value === '' ? { ok: false, says: `${name} is not set` } : { ok: true, value }
}

function fromFile(path: string): Secret {
  try {
    const stat = statSync(path)
    // Reading a pipe waits for whoever writes into it, and the whole hub would wait along.
    if (!stat.isFile()) return { ok: false, says: `${path} is no plain file` }
    if (stat.size > longestSecretBytes)
      return { ok: false, says: `${path} is too large for a key (${stat.size} bytes)` }
    return nonEmpty(readFileSync(path, 'utf8'), path)
  } catch (cause) {
    return { ok: false, says: `${path} cannot be read (${(cause as NodeJS.ErrnoException).code ?? 'unknown reason'})` }
  }
}

function nonEmpty(text: string, from: string): Secret {
  const value = text.trim()
  return value === '' ? { ok: false, says: `${from} gave nothing` } : { ok: true, value }
}

async function fromCommand([program = '', ...args]: readonly string[], env: Env): Promise<Secret> {
  // Loaded at the first secret that needs it: most yards read theirs from the environment.
  const { execa } = await import('execa')
  const late = new AbortController()
  const child = execa(program, args, {
    // All of the hub's: the operator's own program, which needs its login (agent sockets, OP_SESSION_…, VAULT_ADDR). No task
    // and no model can name it or change what it gets.
    env: { ...env },
    extendEnv: false,
    stdin: 'ignore',
    stderr: 'ignore',
    reject: false,
    cancelSignal: late.signal,
    killSignal: 'SIGKILL',
    maxBuffer: longestSecretBytes,
  })
  const over = new AbortController()
  systemClock.after(commandDeadlineMs, over.signal, () => {
    late.abort()
    child.stdout.destroy() // what it has started holds it open, and may do so for ever
  })
  child.once('exit', () => systemClock.after(drainMs, over.signal, () => child.stdout.destroy()))
  const answer = await child
  over.abort()
  if (late.signal.aborted) return { ok: false, says: `${program} did not answer within ${commandDeadlineMs / 1000} s` }
  return answer.failed ? { ok: false, says: `${program} ${whyItFailed(answer)}` } : nonEmpty(answer.stdout, program)
}

function whyItFailed({ exitCode, code }: { exitCode?: number | undefined; code?: string | undefined }): string {
  return exitCode === undefined ? `could not be run (${code ?? 'ended by a signal'})` : `ended with exit ${exitCode}`
}
