/**
 * Families of sentences in a provider's own error message, used only where its structured fields say nothing. Nothing
 * else is ever searched: words of a task, a path or a log do not decide what an error means. Every repeat in them is
 * bounded, so that a hostile body costs no more than a long one.
 */

const overflow = new RegExp(
  [
    'maximum context length',
    'context length exceeded',
    'exceeds? (?:the )?(?:available |model.s )?(?:maximum )?context (?:window|size|length)',
    'context ?window ?exceeded',
    'greater than the context length',
    'larger than the (?:maximum )?context size',
    'prompt is too long',
    'prompt contains \\d{1,12} tokens',
    'maximum prompt length',
    'input is too long',
    'too many input tokens',
    'input token count .{0,80}exceeds',
    'reduce (?:the|your) (?:length|message|prompt|context)',
    'exceeded model token limit',
    'tokens`? \\+ `?max_(?:new_|completion_)?tokens`? must be <',
  ].join('|'),
  'i',
)

/** The conversation is larger than the model can take (worker-facts b.6). */
export const isOverflowText = (text: string): boolean => overflow.test(text)

/** More in one request than is served in a whole minute: no waiting mends that. */
export const isLargerThanQuotaText = (text: string): boolean => /^request too large\b/i.test(text)

/** The wording of a refused setting has the words of overflow in it ("max_tokens … context window"). */
export const isUnsupportedText = (text: string): boolean =>
  /^(?:error: )?(?:unsupported|unrecognized|unknown|unexpected) (?:request )?(?:parameter|argument|field|value|key|keyword)/i.test(
    text,
  ) || /^`?max_(?:completion_|new_|output_)?tokens`? (?:is too large|must be)\b/i.test(text)

/** Somebody has to pay: credit, balance, spend, plan or billing. */
export const isMoneyText = (text: string): boolean =>
  /\b(?:credits?|balance|billing|prepa(?:id|y)|payment|subscription|spend(?:ing)? (?:limit|cap)|exceeded your (?:current )?quota|limit: 0|account limited)\b/i.test(
    text,
  )

/** Weaker: many a rate limit names the plan that it belongs to. */
export const isPlanText = (text: string): boolean => /\bplans?\b/i.test(text)
/** A limit that the owner of an account has set; Anthropic calls it by another name, too. */
export const isSpendText = (text: string): boolean =>
  (/\bspend/i.test(text) && isMoneyText(text)) || /\bspecified api usage limits?\b/i.test(text)

/** Google has no quota at all for such an account: no waiting mends that, whatever delay stands beside it. */
export const isNoQuotaText = (text: string): boolean => /\blimit: 0(?![.\d])/i.test(text)

/** What comes after it is advice: many a rate limit could be raised for money. */
export const isRateText = (text: string): boolean => /^rate limit (?:exceeded|reached)\b/i.test(text)

export const isWrongKeyText = (text: string): boolean =>
  /\b(?:incorrect|invalid) api key\b|\bapi key not valid\b/i.test(text)

export const isNoModelText = (text: string): boolean =>
  /\bmodel is unloaded\b|^(?:invalid|unknown|no such) model\b|^model [^ ]{1,200} (?:not found|does not exist)\b/i.test(
    text,
  )

/** The settings of an account at an aggregator leave no route to any provider. */
export const isPolicyRouteText = (text: string): boolean => /\bdata policy\b|\bprivacy settings?\b/i.test(text)
export const isGuardrailText = (text: string): boolean => /\b(?:guardrails?|moderation|flagged)\b/i.test(text)
export const isQuotaText = (text: string): boolean => /\b(?:quota|rate limit|too many)\b/i.test(text)

/** Nothing but what the status says already. */
export const isEmptyTalk = (text: string): boolean =>
  !/\w/.test(text.replace(/\b(?:http|error|status|code|\d{3}|bad|invalid|request|nginx|openresty|cloudflare)\b/gi, ''))
