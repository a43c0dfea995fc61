import { maskText, type Redactor } from '../../../kernel/index.ts'

/**
 * Why a text must not replace another: it holds the mask that the model was shown in place of a secret, and what was there
 * holds the secret. Undefined where nothing would be lost.
 */
export function sayLostSecret(maskKnown: Redactor, before: string, after: string): string | undefined {
  if (countMasks(after) <= countMasks(before) || maskKnown(before) === before) return undefined
  return `the new text holds ${maskText}, which stands for a value that you are not shown and that would be lost: change other lines by patch, and leave that one`
}

/** A warning for a new file into which a mask was copied. */
export function warnOfMask(shown: string, after: string): string | undefined {
  return after.includes(maskText)
    ? `${shown} now holds the word ${maskText}, which in what you read stands for a value that you are not shown`
    : undefined
}

const countMasks = (text: string): number => text.split(maskText).length
