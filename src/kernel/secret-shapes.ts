import { cutKey, privateKey } from './private-keys.ts'
import { isSecretName } from './secret-name.ts'
import { namedShape, type SecretShape, shapeOf } from './secret-shape.ts'
import { fillSpans, mergeSpans, type Span } from './spans.ts'
import { vendorKeys } from './vendor-keys.ts'

/**
 * What secrets look like when nobody told us their value: prefixes that vendors give their keys, and the places where
 * people write secrets. Every pattern is linear and of bounded depth: no repeat without an upper bound (V8 keeps a way
 * back for each step of a repeat, and a run of 10 MB overflows its stack), and none can start in the middle of a run
 * that another start has already walked. Each looks at the text by itself, so that none can hide what another would find.
 */

/** Stands in the place of every secret. */
export const maskText = '[secret]'

/** What is put in the place of a secret. */
export type Fill = (secret: string) => string

/** Masks everything in `text` that has the shape of a secret; names beside it stay readable. */
export function maskSecretShapes(text: string, fill: Fill = () => maskText): string {
  return fillSpans(text, mergeSpans(findSecretSpans(text)), fill)
}

/** Where secrets stand in a text that is whole; they may overlap. */
export function findSecretSpans(text: string): readonly Span[] {
  const spans: Span[] = []
  for (const shape of secretShapes) {
    if (!shape.needs.some((part) => text.includes(part))) continue
    let start = 0
    for (let match = shape.find(text, start); match !== undefined; match = shape.find(text, start)) {
      if (match.from < match.to) spans.push({ from: match.from, to: match.to })
      start = Math.max(match.end, match.at + 1)
    }
  }
  return spans
}

const escapeForPattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Values that say that there is no secret, or that it is elsewhere. */
const noSecret =
  '(?!(?:true|false|null|none|undefined|yes|no|on|off|nil|NaN)(?![^\\s"\',;)}\\]]))(?!\\$)(?!\\[secret\\])'

/** The quotes stay, so that what was data before is data afterwards. */
const quoted = `(\\\\{0,3}")${noSecret}[^"\\\\\\n]{4,8192}|(\\\\{0,3}')${noSecret}[^'\\\\\\n]{4,8192}`
const openQuote = '\\\\{0,3}["\']'
const name = '(?<![A-Za-z0-9_.-])([A-Za-z_][A-Za-z0-9_.-]{0,79})'

/** Names that are secret in an environment, where they are written in capitals, and in a shell. */
const isVariableName = (written: string): boolean =>
  isSecretName(written) && (/[A-Z]/.test(written) || isCompound(written) || isPlainPassword(written))

/** Names that are secret wherever a colon follows, also in prose. */
const isFieldName = (written: string): boolean =>
  isSecretName(written) && (isCompound(written) || isPlainPassword(written))

const isCompound = (written: string): boolean => /[A-Za-z0-9][_.-][A-Za-z]|[a-z][A-Z]/.test(written)

const isPlainPassword = (written: string): boolean => /^(password|passwd|passphrase|apikey)$/i.test(written)

export const secretShapes: readonly SecretShape[] = [
  privateKey,
  cutKey,
  shapeOf({
    needs: vendorKeys.map(([prefix]) => prefix),
    pattern: new RegExp(
      `(?<![A-Za-z0-9])(?:${vendorKeys.map(([prefix, rest]) => `${escapeForPattern(prefix)}${rest}`).join('|')})`,
      'g',
    ),
  }),
  // Telegram bot
  shapeOf({ needs: [':AA'], pattern: /(?<![A-Za-z0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{30,8192}/g }),
  // Discord bot
  shapeOf({
    needs: ['.'],
    pattern: /(?<![A-Za-z0-9_.-])[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,60}(?![A-Za-z0-9_.-])/g,
  }),
  // The path of a webhook is all that it takes to post there.
  shapeOf({
    needs: ['hooks.slack.com/', 'discord.com/api/webhooks/'],
    pattern: /((?:hooks\.slack\.com\/[a-z]{1,20}|discord\.com\/api\/webhooks)\/)[A-Za-z0-9_/-]{16,512}/g,
    kept: 1,
  }),
  // JSON web token
  shapeOf({
    needs: ['eyJ'],
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,4096}\.[A-Za-z0-9_-]{10,4096}(?:\.[A-Za-z0-9_-]{0,512})?/g,
  }),
  // postgres://user:password@host, https://token@host
  shapeOf({
    needs: ['://'],
    pattern: /(:\/\/(?:[^\s/?#@:]{0,256}:)?)(?!\[secret\])[^\s/?#@:]{1,512}@/g,
    kept: 1,
    after: 1,
  }),
  shapeOf({
    needs: ['?', '&'],
    pattern:
      /([?&](?:access_token|auth_token|refresh_token|id_token|token|api_key|apikey|key|sig|signature|client_secret|secret|password|code_verifier|x-amz-signature|x-amz-security-token|x-goog-signature)=)(?!\[secret\])[^\s&#"'<>\\]{1,8192}/gi,
    kept: 1,
  }),
  // Authorization: Bearer …, x-api-key: …
  shapeOf({
    needs: [':', '='],
    pattern: new RegExp(
      `(?<![A-Za-z0-9])((?:proxy-)?authorization|x-api-key|x-goog-api-key|api-key|x-auth-token|private-token|cookie|set-cookie)((?:${openQuote})?[ \\t]{0,3}[:=][ \\t]{0,3}(?:${openQuote})?)((?:bearer|basic|token|digest|negotiate)[ \\t]{1,3})?${noSecret}[^\\s"',;\\\\]{4,8192}`,
      'gi',
    ),
    kept: 3,
  }),
  shapeOf({
    needs: ['earer '],
    pattern: /(?<![A-Za-z0-9])([Bb]earer[ \t]{1,3})[A-Za-z0-9._~+/=-]{16,8192}/g,
    kept: 1,
  }),
  // OPENAI_API_KEY=… in an environment or a script. Not $OTHER, which is a name and no value.
  namedShape({
    needs: ['='],
    head: new RegExp(`${name}(?:${openQuote})?=`, 'g'),
    isName: isVariableName,
    value: new RegExp(`${quoted}|${noSecret}[^\\s"']{4,8192}`, 'y'),
  }),
  // password = "…" in TOML and code
  namedShape({
    needs: ['='],
    head: new RegExp(`${name}[ \\t]{1,3}:?=[ \\t]{1,3}`, 'g'),
    isName: isFieldName,
    value: new RegExp(quoted, 'y'),
  }),
  // "token": "…" in JSON
  namedShape({
    needs: [':'],
    head: new RegExp(`${name}${openQuote}[ \\t]{0,3}:[ \\t]{0,3}`, 'g'),
    isName: isSecretName,
    value: new RegExp(quoted, 'y'),
  }),
  // api_key: … in YAML
  namedShape({
    needs: [':'],
    head: new RegExp(`${name}(?:${openQuote})?[ \\t]{0,3}:[ \\t]{0,3}`, 'g'),
    isName: isFieldName,
    value: new RegExp(`${quoted}|${noSecret}[^\\s"',;{}[\\]()$\\\\]{4,8192}`, 'y'),
  }),
]
