import type { Output } from '../command.ts'
import { makeHarmless } from './harmless-text.ts'

/** The same output, in which nothing that a task printed or is called can give the runner a command. */
export function harmlessOutput(output: Output): Output {
  const harmless = makeHarmless()
  return {
    write: (text) => output.write(harmless(text)),
    get isTerminal() {
      return output.isTerminal
    },
    width: () => output.width(),
    height: () => output.height(),
    closed: output.closed,
  }
}
