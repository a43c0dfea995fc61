import { createRedactor, createValueMask, type Redactor } from '../../kernel/index.ts'

/** What is masked in a worker: the secrets that it knows. It may come to know one more before its work begins, as a lane's key. */
export class Masks {
  #known: readonly string[] = []
  #redact = createRedactor([])
  #maskKnown = createValueMask([])

  get known(): readonly string[] {
    return this.#known
  }

  learn(secret: string | undefined): void {
    if (secret === undefined || this.#known.includes(secret)) return
    this.#known = [...this.#known, secret]
    this.#redact = createRedactor(this.#known)
    this.#maskKnown = createValueMask(this.#known)
  }

  /** Known values and everything that looks like a secret: for what is stored. */
  readonly redact: Redactor = (text) => this.#redact(text)
  /** Known values alone: for what the model reads. */
  readonly maskKnown: Redactor = (text) => this.#maskKnown(text)
}
