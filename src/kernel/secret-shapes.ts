/**
 * What secrets look like when nobody told us their value: prefixes that vendors give their keys, and the places where
 * people write secrets. Every pattern is linear and of bounded depth: no repeat without an upper bound (V8 keeps a way
 * back for each step of a repeat, and a run of 10 MB overflows its stack), and none can start in the middle of a run
 * that another start has already walked.
 */

/** Stands in the place of every secret. */
export const maskText = '[secret]'

/** Masks everything in `text` that has the shape of a secret; names beside it stay readable. */
export function maskSecretShapes(text: string): string {
  let masked = maskPrivateKeys(text)
  for (const { needs, pattern, replacement } of shapes) {
    if (needs.some((part) => masked.includes(part))) masked = masked.replace(pattern, replacement)
  }
  return masked
}

/** By hand and not by pattern: many beginnings without an end would make a lazy pattern walk the text again and again. */
function maskPrivateKeys(text: string): string {
  const begin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
  let kept = ''
  let from = 0
  for (let match = begin.exec(text); match !== null; match = begin.exec(text)) {
    const end = text.indexOf('-----END ', begin.lastIndex)
    const closing = end === -1 ? -1 : text.indexOf('-----', end + 9)
    kept += `${text.slice(from, begin.lastIndex)}${maskText}`
    if (closing === -1) return kept // the key is cut: what follows belongs to it
    from = end
    begin.lastIndex = closing
  }
  return from === 0 ? text : kept + text.slice(from)
}

interface Shape {
  /** Without any of these in the text the pattern is not tried. */
  readonly needs: readonly string[]
  readonly pattern: RegExp
  readonly replacement: string
}

/** Key prefixes of vendors, each with the least length that a real key has. */
const vendorKeys: readonly (readonly [prefix: string, rest: string])[] = [
  ['sk-', '[A-Za-z0-9_-]{20,8192}'], // OpenAI, Anthropic, OpenRouter, DeepSeek
  ['sk_live_', '[A-Za-z0-9]{16,8192}'], // Stripe
  ['sk_test_', '[A-Za-z0-9]{16,8192}'],
  ['rk_live_', '[A-Za-z0-9]{16,8192}'],
  ['whsec_', '[A-Za-z0-9+/]{16,8192}'],
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
    replacement: maskText,
  },
  {
    // Telegram bot
    needs: [':AA'],
    pattern: /(?<![A-Za-z0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{30,8192}/g,
    replacement: maskText,
  },
  {
    // JSON web token
    needs: ['eyJ'],
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,8192}\.[A-Za-z0-9_-]{10,8192}(?:\.[A-Za-z0-9_-]{0,8192})?/g,
    replacement: maskText,
  },
  {
    // postgres://user:password@host, https://token@host
    needs: ['://'],
    pattern: /(:\/\/(?:[^\s/?#@:]{0,256}:)?)[^\s/?#@:]{1,512}@/g,
    replacement: `$1${maskText}@`,
  },
  {
    needs: ['?', '&'],
    pattern:
      /([?&](?:access_token|auth_token|refresh_token|id_token|token|api_key|apikey|key|sig|signature|client_secret|secret|password)=)[^\s&#"'<>]{1,8192}/gi,
    replacement: `$1${maskText}`,
  },
  {
    // Authorization: Bearer …, x-api-key: …
    needs: [':', '='],
    pattern:
      /(?<![A-Za-z0-9])((?:proxy-)?authorization|x-api-key|api-key|x-auth-token)(["']?\s{0,3}[:=]\s{0,3}["']?)((?:bearer|basic|token)\s{1,3})?[^\s"',;]{4,8192}/gi,
    replacement: `$1$2$3${maskText}`,
  },
  {
    needs: ['earer '],
    pattern: /(?<![A-Za-z0-9])([Bb]earer\s{1,3})[A-Za-z0-9._~+/=-]{16,8192}/g,
    replacement: `$1${maskText}`,
  },
  {
    // "api_key": "…" in JSON, api_key: … in YAML
    needs: [':', '='],
    pattern:
      /(?<![A-Za-z0-9])((?:[a-z0-9]{1,20}[_-]){0,3}(?:api[_-]?key|access[_-]?token|auth[_-]?token|refresh[_-]?token|client[_-]?secret|secret[_-]?key|private[_-]?key|password|passwd)["']?\s{0,3}[:=]\s{0,3})("[^"\n]{4,8192}"|'[^'\n]{4,8192}'|[^\s"',;{}[\]()$]{4,8192})/gi,
    replacement: `$1${maskText}`,
  },
  {
    // OPENAI_API_KEY=… in an environment or a script. Not $OTHER, which is a name and no value.
    needs: ['='],
    pattern:
      /(?<![A-Za-z0-9_])([A-Z0-9_]{0,40}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)[A-Z0-9_]{0,40}=)("[^"\n$]{4,8192}"|'[^'\n]{4,8192}'|[^\s"'$]{6,8192})/g,
    replacement: `$1${maskText}`,
  },
]
