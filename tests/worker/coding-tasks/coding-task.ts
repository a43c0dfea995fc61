import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** One small thing to mend: a function with one fault, and a check that sees it. */
export interface CodingTask {
  readonly name: string
  /** What somebody would write on the card. */
  readonly asks: string
  readonly file: string
  /** The whole file as it should be. */
  readonly text: string
  /** A stretch of it that stands there once, and what stands there instead. */
  readonly fault: { readonly right: string; readonly wrong: string }
  /** Text of the check's file, and the command that runs it. */
  readonly check: { readonly file: string; readonly text: string; readonly run: string }
}

/** The file with its fault in it. */
export function brokenText({ name, text, fault }: CodingTask): string {
  const parts = text.split(fault.right)
  if (parts.length !== 2) throw new Error(`${name}: "${fault.right}" stands there ${parts.length - 1} times`)
  return parts.join(fault.wrong)
}

/** Puts the broken file and its check into a folder. */
export function layOut(task: CodingTask, folder: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, task.file), brokenText(task))
  writeFileSync(join(folder, task.check.file), task.check.text)
}
