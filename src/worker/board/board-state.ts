import type { RunAnswerView, RunNewsView } from '../../api/contract/index.ts'
import type { Redactor } from '../../kernel/index.ts'
import type { BoardEnd, BoardNews } from './board-link.ts'

/** What the worker knows of its run: news that nobody has taken yet, and whether it is to end. The first reason to end stays. */
export class BoardState {
  readonly #maskKnown: Redactor
  readonly #ended = new AbortController()
  readonly #listeners = new Set<() => void>()
  #news: BoardNews[] = []
  #endedBy: BoardEnd | undefined

  constructor(maskKnown: Redactor) {
    this.#maskKnown = maskKnown
  }

  get ended(): AbortSignal {
    return this.#ended.signal
  }

  get endedBy(): BoardEnd | undefined {
    return this.#endedBy
  }

  end(by: BoardEnd): void {
    if (this.#endedBy !== undefined) return
    this.#endedBy = by
    this.#ended.abort()
  }

  /** Takes note of any answer. Who has said how it ends is not told to stop any more: what it lingers for is its own matter. */
  hear({ call, stop }: RunAnswerView): void {
    if (stop === null || call !== null) return
    const text = stop.text === '' ? stop.kind : `${stop.kind}: ${stop.text}`
    this.end({ kind: 'stop', text })
  }

  hearNews(view: RunNewsView): void {
    this.#news.push(...view.comments.map(({ by, at, text }) => ({ by, at, text: this.#maskKnown(text) })))
    this.hear(view)
    if (view.comments.length > 0) for (const listener of [...this.#listeners]) listener()
  }

  takeNews(): readonly BoardNews[] {
    const news = this.#news
    this.#news = []
    return news
  }

  onNews(signal: AbortSignal, listener: () => void): void {
    if (signal.aborted) return
    const heard = () => listener()
    this.#listeners.add(heard)
    signal.addEventListener('abort', () => this.#listeners.delete(heard), { once: true })
  }
}
