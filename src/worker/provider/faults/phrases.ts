/**
 * Families of sentences in a provider's own error message, used only where its structured fields say nothing. Nothing
 * else is ever searched: words of a task, a path or a log do not decide what an error means.
 */

const overflow = [
  /maximum context length/i,
  /context length exceeded/i,
  /exceeds? (?:the )?(?:available )?context (?:window|size|length)/i,
  /greater than the context length/i,
  /larger than the context size/i,
  /prompt is too long/i,
  /prompt contains \d+ tokens/i,
  /maximum prompt length/i,
  /input is too long/i,
  /too many input tokens/i,
  /input token count .{0,80}exceeds/i,
  /reduce the length/i,
  /reduce your message/i,
  /exceeded model token limit/i,
]

/** The conversation is larger than the model can take (worker-facts b.6). */
export const isOverflowText = (message: string): boolean => overflow.some((family) => family.test(message))

/** Somebody has to pay: credit, balance, spend, plan or billing. */
export const isMoneyText = (message: string): boolean =>
  /\b(?:credits?|balance|billing|prepaid|payment|spend(?:ing)? (?:limit|cap)|exceeded your (?:current )?quota|limit: 0)\b/i.test(
    message,
  )

export const isWrongKeyText = (message: string): boolean =>
  /\b(?:incorrect|invalid) api key\b|\bapi key not valid\b/i.test(message)
