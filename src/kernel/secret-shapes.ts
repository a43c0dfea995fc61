/**
 * What secrets look like when nobody told us their value: prefixes that vendors give their keys, and the places where
 * people write secrets. Every pattern is linear and of bounded depth: no repeat without an upper bound (V8 keeps a way
 * back for each step of a repeat, and a run of 10 MB overflows its stack), and none can start in the middle of a run
 * that another start has already walked.
 */

/** Stands in the place of every secret. */
export const maskText = '[secret]'

/** What is put in the place of a secret. */
export type Fill = (secret: string) => string

/** Masks everything in `text` that has the shape of a secret; names beside it stay readable. */
export function maskSecretShapes(text: string, fill: Fill = () => maskText): string {
  let masked = maskCutKey(maskPrivateKeys(text, fill), fill)
  for (const { needs, pattern, kept = 0, after = '' } of shapes) {
    if (!needs.some((part) => masked.includes(part))) continue
    masked = masked.replace(pattern, (match: string, ...groups: readonly (string | undefined)[]) => {
      const before = groups.slice(0, kept).join('')
      return before + fill(match.slice(before.length, match.length - after.length)) + after
    })
  }
  return masked
}

/** Longer than the largest key anybody has (16,384 bits are 13,000 characters): what has no end by then is no key. */
export const longestKeyChars = 16_384

/** By hand and not by pattern: many beginnings without an end would make a lazy pattern walk the text again and again. */
function maskPrivateKeys(text: string, fill: Fill): string {
  const begin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
  let kept = ''
  let from = 0
  let end = 0
  for (let match = begin.exec(text); match !== null; match = begin.exec(text)) {
    const keyFrom = begin.lastIndex
    if (end < keyFrom && end !== -1) end = text.indexOf('-----END ', keyFrom)
    // Without an end in reach the key is cut: what follows belongs to it.
    const isWhole = end !== -1 && end - keyFrom <= longestKeyChars
    const keyTo = isWhole ? end : Math.min(text.length, keyFrom + longestKeyChars)
    kept += text.slice(from, keyFrom) + fill(text.slice(keyFrom, keyTo))
    from = keyTo
    begin.lastIndex = keyTo
  }
  return from === 0 ? text : kept + text.slice(from)
}

/** The rest of a key whose beginning is not in the text: the lines of base64 right before its end. */
function maskCutKey(text: string, fill: Fill): string {
  const end = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
  let kept = ''
  let from = 0
  for (let match = end.exec(text); match !== null; match = end.exec(text)) {
    const keyFrom = startOfKeyLines(text, { least: from, before: match.index })
    if (keyFrom < match.index) kept += text.slice(from, keyFrom) + fill(text.slice(keyFrom, match.index))
    else kept += text.slice(from, match.index)
    from = match.index
  }
  return from === 0 ? text : kept + text.slice(from)
}

/** Of the key whose END line begins at `before`, going back over lines that can be nothing else. */
function startOfKeyLines(text: string, { least, before }: { readonly least: number; readonly before: number }): number {
  let start = before
  const earliest = Math.max(least, before - longestKeyChars)
  while (start > earliest) {
    const lineFrom = Math.max(earliest, text.lastIndexOf('\n', start - 2) + 1)
    if (!/^[A-Za-z0-9+/=]{1,76}\r?\n$/.test(text.slice(lineFrom, start))) break
    start = lineFrom
  }
  return start
}

interface Shape {
  /** Without any of these in the text the pattern is not tried. */
  readonly needs: readonly string[]
  readonly pattern: RegExp
  /** How many of its first groups stay as they are, in front of the secret. */
  readonly kept?: number
  /** What stays behind it. */
  readonly after?: string
}

/** Key prefixes of vendors, each with the least length that a real key has. */
const vendorKeys: readonly (readonly [prefix: string, rest: string])[] = [
  ['sk-', '[A-Za-z0-9_-]{20,8192}'], // OpenAI, Anthropic, OpenRouter, DeepSeek
  ['sk_live_', '[A-Za-z0-9]{16,8192}'], // Stripe
  ['sk_test_', '[A-Za-z0-9]{16,8192}'],
  ['rk_live_', '[A-Za-z0-9]{16,8192}'],
  ['whsec_', '[A-Za-z0-9+/]{16,8192}'],
  ['ymr_R', '[0-9]{1,15}_[A-Za-z0-9_-]{20,8192}'], // an attempt of ours (board/run-token.ts)
  ['ghp_', '[A-Za-z0-9]{30,8192}'], // GitHub
  ['gho_', '[A-Za-z0-9]{30,8192}'],
  ['ghu_', '[A-Za-z0-9]{30,8192}'],
  ['ghs_', '[A-Za-z0-9]{30,8192}'],
  ['ghr_', '[A-Za-z0-9]{30,8192}'],
  ['github_pat_', '[A-Za-z0-9_]{30,8192}'],
  ['glpat-', '[A-Za-z0-9_-]{16,8192}'], // GitLab
  ['gldt-', '[A-Za-z0-9_-]{16,8192}'],
  ['glrt-', '[A-Za-z0-9_-]{16,8192}'],
  ['xoxa-', '[A-Za-z0-9-]{10,8192}'], // Slack
  ['xoxb-', '[A-Za-z0-9-]{10,8192}'],
  ['xoxe-', '[A-Za-z0-9-]{10,8192}'],
  ['xoxp-', '[A-Za-z0-9-]{10,8192}'],
  ['xoxr-', '[A-Za-z0-9-]{10,8192}'],
  ['xoxs-', '[A-Za-z0-9-]{10,8192}'],
  ['xapp-', '[A-Za-z0-9-]{10,8192}'],
  ['AIza', '[A-Za-z0-9_-]{30,8192}'], // Google
  ['ya29.', '[A-Za-z0-9_-]{20,8192}'],
  ['AKIA', '[A-Z0-9]{16}'], // AWS
  ['ASIA', '[A-Z0-9]{16}'],
  ['npm_', '[A-Za-z0-9]{30,8192}'],
  ['pypi-', '[A-Za-z0-9_-]{50,8192}'],
  ['hf_', '[A-Za-z0-9]{30,8192}'], // Hugging Face
  ['SG.', '[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{16,64}'], // SendGrid
  ['dop_v1_', '[a-f0-9]{40,8192}'], // DigitalOcean
  ['shpat_', '[a-fA-F0-9]{30,8192}'], // Shopify
  ['sq0atp-', '[A-Za-z0-9_-]{20,8192}'], // Square
  ['lin_api_', '[A-Za-z0-9]{30,8192}'], // Linear
  ['dckr_pat_', '[A-Za-z0-9_-]{20,8192}'], // Docker
  ['glc_', '[A-Za-z0-9+/=]{30,8192}'], // Grafana
  ['xai-', '[A-Za-z0-9]{30,8192}'],
  ['gsk_', '[A-Za-z0-9]{30,8192}'], // Groq
  ['r8_', '[A-Za-z0-9]{30,8192}'], // Replicate
  ['pplx-', '[A-Za-z0-9]{30,8192}'], // Perplexity
  ['nvapi-', '[A-Za-z0-9_-]{30,8192}'],
  ['hvs.', '[A-Za-z0-9_-]{20,8192}'], // Vault
  ['ATATT', '[A-Za-z0-9_=-]{30,8192}'], // Atlassian
  ['AGE-SECRET-KEY-1', '[A-Z0-9]{50,8192}'],
]

const escapeForPattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

const shapes: readonly Shape[] = [
  {
    needs: vendorKeys.map(([prefix]) => prefix),
    pattern: new RegExp(
      `(?<![A-Za-z0-9])(${vendorKeys.map(([prefix, rest]) => `${escapeForPattern(prefix)}${rest}`).join('|')})`,
      'g',
    ),
  },
  {
    // Telegram bot
    needs: [':AA'],
    pattern: /(?<![A-Za-z0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{30,8192}/g,
  },
  {
    // JSON web token
    needs: ['eyJ'],
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,8192}\.[A-Za-z0-9_-]{10,8192}(?:\.[A-Za-z0-9_-]{0,8192})?/g,
  },
  {
    // postgres://user:password@host, https://token@host
    needs: ['://'],
    pattern: /(:\/\/(?:[^\s/?#@:]{0,256}:)?)[^\s/?#@:]{1,512}@/g,
    kept: 1,
    after: '@',
  },
  {
    needs: ['?', '&'],
    pattern:
      /([?&](?:access_token|auth_token|refresh_token|id_token|token|api_key|apikey|key|sig|signature|client_secret|secret|password)=)[^\s&#"'<>]{1,8192}/gi,
    kept: 1,
  },
  {
    // Authorization: Bearer …, x-api-key: …
    needs: [':', '='],
    pattern:
      /(?<![A-Za-z0-9])((?:proxy-)?authorization|x-api-key|api-key|x-auth-token)(["']?\s{0,3}[:=]\s{0,3}["']?)((?:bearer|basic|token)\s{1,3})?[^\s"',;]{4,8192}/gi,
    kept: 3,
  },
  {
    needs: ['earer '],
    pattern: /(?<![A-Za-z0-9])([Bb]earer\s{1,3})[A-Za-z0-9._~+/=-]{16,8192}/g,
    kept: 1,
  },
  {
    // "api_key": "…" in JSON, api_key: … in YAML
    needs: [':', '='],
    pattern:
      /(?<![A-Za-z0-9])((?:[a-z0-9]{1,20}[_-]){0,3}(?:api[_-]?key|access[_-]?token|auth[_-]?token|refresh[_-]?token|client[_-]?secret|secret[_-]?key|private[_-]?key|password|passwd)["']?\s{0,3}[:=]\s{0,3})("[^"\n]{4,8192}"|'[^'\n]{4,8192}'|[^\s"',;{}[\]()$]{4,8192})/gi,
    kept: 1,
  },
  {
    // OPENAI_API_KEY=… in an environment or a script. Not $OTHER, which is a name and no value.
    needs: ['='],
    pattern:
      /(?<![A-Za-z0-9_])([A-Z0-9_]{0,40}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)[A-Z0-9_]{0,40}=)("[^"\n$]{4,8192}"|'[^'\n]{4,8192}'|[^\s"'$]{6,8192})/g,
    kept: 1,
  },
]
