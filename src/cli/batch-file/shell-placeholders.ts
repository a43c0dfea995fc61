import { type CodeText, codeTexts } from './code-texts.ts'

/** What is said of a text for a shell that holds a placeholder. */
export const shellPlaceholder = {
  says: 'is text for a shell and holds a placeholder, and no value may become shell code',
  fix: 'use the variable ("$file"), or write it as a list, which meets no shell',
} as const

/** Checks and setups in text form that hold a placeholder. */
export const shellCodeWith = (fields: Parameters<typeof codeTexts>[0]): readonly CodeText[] =>
  codeTexts(fields).filter(({ of, text }) => of === 'shell' && text.includes('${{'))
