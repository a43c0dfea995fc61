import type { CallEvidence } from './evidence.ts'
import type { Verdict } from './fault.ts'

/** Of TLS, for ever until somebody mends a certificate or an address; other alerts of TLS are broken connections. */
const certificateCodes =
  /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_\w{0,40}(?:CERTIFICATE|UNKNOWN_CA))/
const timeoutCodes = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
])
const unreachableCodes = new Set(['ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH', 'ENETDOWN', 'EHOSTDOWN', 'ENOENT'])
const brokenCodes = new Set([
  ...['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'EPROTO', 'ERR_STREAM_PREMATURE_CLOSE', 'UND_ERR_SOCKET'],
])

/** What a call without any body means: by the codes of what was thrown, along its chain of causes. */
export function causeVerdict({
  cause,
  phase,
  lastRunReason,
}: Pick<CallEvidence, 'cause' | 'phase' | 'lastRunReason'>): Verdict {
  const codes = codesOf(cause)
  const any = (known: ReadonlySet<string>) => codes.some((code) => known.has(code))
  if (codes.some((code) => certificateCodes.test(code))) return ['needs_human', 'tls']
  // Networks come and go, so that a host is unknown for a while; in two runs in a row its name is wrong.
  if (codes.includes('ENOTFOUND')) return [lastRunReason === 'dns' ? 'needs_human' : 'transient', 'dns']
  if (codes.includes('EAI_AGAIN')) return ['transient', 'dns']
  if (any(timeoutCodes)) return ['transient', 'timeout']
  if (any(unreachableCodes)) return ['transient', 'unreachable']
  if (codes.some((code) => code.startsWith('HPE_'))) return ['transient', 'protocol']
  if (isSyntaxError(cause)) return ['transient', 'protocol']
  const unheard = phase === 'connect' || phase === 'headers'
  const broken = any(brokenCodes) || codes.some((code) => code.startsWith('ERR_SSL_'))
  if (broken) return unheard ? ['transient', 'unreachable'] : ['transient', 'dropped_stream']
  if (!unheard) return ['transient', 'dropped_stream']
  return ['failed', 'unknown']
}

/** The failure that is described: of several addresses that were tried, the first speaks for all. */
export function* causesOf(thrown: unknown): Generator<object> {
  let inner = thrown
  for (let depth = 0; depth < 8 && typeof inner === 'object' && inner !== null; depth += 1) {
    yield inner
    const { cause, errors } = inner as { cause?: unknown; errors?: unknown }
    inner = cause ?? (Array.isArray(errors) ? errors[0] : undefined)
  }
}

function codesOf(thrown: unknown): readonly string[] {
  return [...causesOf(thrown)].flatMap((cause) => {
    const { code, message } = cause as { code?: unknown; message?: unknown }
    if (typeof code !== 'string') return []
    return code === 'EPROTO' && typeof message === 'string' ? [code, ...sslCodeIn(message)] : [code]
  })
}

/** A handshake that fails while we write is EPROTO, with OpenSSL's own line as its message: its reason as Node else says it. */
function sslCodeIn(message: string): readonly string[] {
  const reason = /error:[0-9A-F]{8}:SSL routines:[^:]{0,100}:([^:]{1,100}):/.exec(message)?.[1]
  return reason === undefined ? [] : [`ERR_SSL_${reason.replaceAll(' ', '_').toUpperCase()}`]
}

const isSyntaxError = (thrown: unknown): boolean => [...causesOf(thrown)].some((cause) => cause instanceof SyntaxError)
