/**
 * Whether the value of a variable or field of this name is a secret, whatever it looks like. Judged by whole words
 * (`OPENAI_API_KEY`, `dbPassword`), so that `MAX_TOKENS`, `keyboard` and `token_count` are no secrets.
 */
export function isSecretName(name: string): boolean {
  if (name.length > longestName || !hasSecretWord.test(name)) return false
  const words = wordsOf(name)
  if (/access_?key_?id$/i.test(name)) return true // public by itself, but half of a pair
  const isCapital = name === name.toUpperCase()
  const at = words.findIndex((word, index) => isSecretWord(word, words[index - 1], isCapital))
  if (at === -1) return false
  const after = words.slice(at + 1)
  return !after.some((word) => tells.has(word)) && !words.slice(0, at).some((word) => counts.has(word))
}

const longestName = 128

/** Asked first: a line may hold a million names. */
const hasSecretWord = /pass|pwd|secret|token|key|credential/i

/** Parts of `a_b-c.d`, `aBc` and `ABc`, in lower case. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
}

function isSecretWord(word: string, before: string | undefined, isCapital: boolean): boolean {
  if (/(password|passwd|passphrase|secret|apikey|secretkey|accesskey|privatekey|authkey|accountkey)$/.test(word))
    return true
  if (/token$/.test(word) || word === 'secrets' || word === 'credential' || word === 'credentials') return true
  if (word === 'tokens') return before === 'api' || before === 'access' || before === 'auth' || before === 'refresh'
  if (before === undefined) return false
  if (word === 'pass' || word === 'pwd') return isCapital && before !== 'old'
  if (word !== 'key' && word !== 'keys') return false
  // A variable of an environment is rarely the key of a map; a field of data often is.
  return keyWords.has(before) || (isCapital && !plainKeys.has(before))
}

const keyWords = new Set(
  'api access private secret auth account encryption signing master service ssh deploy session client shared consumer admin server app subscription license'.split(
    ' ',
  ),
)

/** Words before `key` that make it the key of a table, of a map, or one that everybody may have. */
const plainKeys = new Set(
  'public primary foreign sort partition cache object map hash row index group search route registry composite unique storage metric query order shortcut hot arrow enter map dict item data id any each the this a and or by on from of event state translation i18n locale message label field column property answer answers idempotency dedupe duplicate batch ordering host tab task batch run board escape function modifier left right up down'.split(
    ' ',
  ),
)

/** Words behind it that say something of a secret, and not the secret. */
const tells = new Set(
  'count counts limit limits max min length len size type types name names id ids url uri path paths file files dir field fields index prefix suffix ttl expiry expires expiration expired age rate usage used budget policy rotation header param pattern regex format version enabled required hint label algorithm alg manager provider store ring board bindings rules strength parallelism ref'.split(
    ' ',
  ),
)

/** Words before it that count or place something. */
const counts = new Set(
  'max min num number total count prompt completion input output cached reasoning context next prev page continuation cursor unexpected stop eos bos pad unk special has is no use uses with without show hide missing expected'.split(
    ' ',
  ),
)
