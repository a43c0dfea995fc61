/** What an answer must be, where somebody asked for a form. The loop tells the model, asks the check, and repairs once. */
export interface AnswerCheck {
  /** For the model: goes behind the prompt. */
  readonly instructions: string
  check(text: string): CheckedAnswer
}

export type CheckedAnswer =
  | { readonly ok: true; readonly value: unknown }
  /** Sentences for the model: what to mend. */
  | { readonly ok: false; readonly says: string }
