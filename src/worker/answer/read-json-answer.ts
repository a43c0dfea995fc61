import { isDeeperThan } from '../../kernel/index.ts'
import type { CheckedAnswer } from './answer-check.ts'

/** Deeper ones would only overflow whoever reads them later; the run's report takes no more, either. */
const deepestAnswer = 100

/** The one JSON value of an answer: all of its text, or all of the one fenced block in it. Models like fences. */
export function readJsonAnswer(text: string): CheckedAnswer {
  const whole = parseJson(text)
  if (whole.ok) return whole
  const blocks = [...text.matchAll(/^```[a-zA-Z]*[ \t]*\n([\s\S]*?)^```[ \t]*$/gm)]
  const [only] = blocks
  return blocks.length === 1 && only !== undefined ? parseJson(only[1] ?? '') : whole
}

function parseJson(text: string): CheckedAnswer {
  try {
    const value: unknown = JSON.parse(text)
    if (isDeeperThan(value, deepestAnswer)) {
      return { ok: false, says: `it is nested more than ${deepestAnswer} levels deep` }
    }
    return { ok: true, value }
  } catch (fault) {
    return { ok: false, says: `it is not JSON: ${(fault as Error).message.slice(0, 300)}` }
  }
}
