import { calibrate, estimateTokens, firstGauge, type Gauge } from '../context/estimate.ts'
import type { ModelMessage, ToolDescription } from '../provider/model-call.ts'
import type { Transcript } from '../record/transcript.ts'

/** The messages of one run, in their order, and about how large they are. Each is written down as it comes in. */
export class Conversation {
  readonly tools: readonly ToolDescription[]
  readonly #transcript: Transcript
  #messages: readonly ModelMessage[] = []
  #gauge: Gauge = firstGauge
  /** Of the model's replies; for the transcript. */
  turn = 0

  constructor({ transcript }: { readonly transcript: Transcript }, tools: readonly ToolDescription[]) {
    this.#transcript = transcript
    this.tools = tools
  }

  get messages(): readonly ModelMessage[] {
    return this.#messages
  }

  get gauge(): Gauge {
    return this.#gauge
  }

  /** About how many tokens it has, tools included. */
  get tokens(): number {
    return estimateTokens(this.#gauge, this)
  }

  get endsWithResult(): boolean {
    return this.#messages.at(-1)?.role === 'tool'
  }

  add(...messages: readonly ModelMessage[]): void {
    this.#messages = [...this.#messages, ...messages]
    for (const message of messages) this.#transcript.write({ kind: 'message', turn: this.turn, message })
  }

  /** Puts a shorter conversation in its place. */
  replace(messages: readonly ModelMessage[]): void {
    const before = this.#messages.length
    this.#messages = messages
    this.#transcript.write({ kind: 'compacted', turn: this.turn, before, after: messages.length })
    for (const message of messages) this.#transcript.write({ kind: 'message', turn: this.turn, message })
  }

  /** Learns from what a provider has counted of what was just sent. */
  counted(inputTokens: number | null): void {
    this.#gauge = calibrate(this.#gauge, this, inputTokens)
  }

  note(says: string): void {
    this.#transcript.write({ kind: 'note', turn: this.turn, says })
  }
}
