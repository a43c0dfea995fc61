/** What a shell would meet in a text, in the order in which it stands there. */
export type ShellEvent =
  /** One simple command: its words without assignments and redirections, quotes taken off, `$x` as it is written. */
  | { readonly kind: 'command'; readonly words: readonly string[]; readonly scope: number }
  /** A `&` that sends what stands before it into the background. */
  | { readonly kind: 'background'; readonly scope: number }

const nothingBefore = new Set([
  '{',
  '}',
  'if',
  'then',
  'elif',
  'else',
  'fi',
  'do',
  'done',
  'while',
  'until',
  'esac',
  '!',
])
const namesFollow = new Set(['for', 'case', 'select', 'function', 'in', '[[', '[', '(('])
const assignment = /^[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]{0,200}\])?\+?=/

/** The command that is being read, of one list of them. */
export class CommandList {
  readonly #events: ShellEvent[]
  readonly #scope: number
  #words: string[] = []
  #word: string | undefined
  #next: 'word' | 'target' | 'delimiter' = 'word'
  #onDelimiter: (delimiter: string) => void = () => {}
  #patternFrom: number | undefined
  /** Between `[[` and `]]` nothing is an operator. */
  inTest = false

  constructor(events: ShellEvent[], scope: number) {
    this.#events = events
    this.#scope = scope
  }

  get inWord(): boolean {
    return this.#word !== undefined
  }

  get atStart(): boolean {
    return this.#word === undefined && this.#words.length === 0
  }

  /** Its first word so far, where that is over. */
  get first(): string | undefined {
    return this.#words[0]
  }

  get hasOneWord(): boolean {
    return this.#word === undefined && this.#words.length === 1
  }

  /** What comes up to the next `)` is a pattern of `case`, and no command. */
  get inPattern(): boolean {
    return this.#patternFrom !== undefined
  }

  /** After `;;`. */
  beginPattern(): void {
    this.#patternFrom = this.#events.length
  }

  endPattern(): void {
    const taken = this.#events.splice(this.#patternFrom ?? this.#events.length)
    this.#events.push(...taken.filter(({ scope }) => scope !== this.#scope)) // `$(…)` in a pattern is run
    this.dropCommand()
    this.#patternFrom = undefined
  }

  add(text: string): void {
    this.#word = (this.#word ?? '') + text
  }

  endWord(): void {
    const word = this.#word
    if (word === undefined) return
    this.#word = undefined
    if (this.#next === 'delimiter') this.#onDelimiter(word)
    else if (this.#next === 'word') this.#addWord(word)
    this.#next = 'word'
  }

  endCommand(): void {
    this.endWord()
    this.#next = 'word'
    const words = this.#words
    this.#words = []
    const first = words[0]
    if (first === undefined || namesFollow.has(first)) return
    if (first !== 'coproc') this.#events.push({ kind: 'command', words, scope: this.#scope })
    else this.#events.push({ kind: 'background', scope: this.#scope })
  }

  dropCommand(): void {
    this.#word = undefined
    this.#words = []
  }

  sendToBackground(): void {
    this.endCommand()
    this.#events.push({ kind: 'background', scope: this.#scope })
  }

  /** `2` of `2>&1` is no word. */
  dropDescriptor(): void {
    if (this.#word !== undefined && /^(?:\d{1,9}|\{\w{1,99}\})$/.test(this.#word)) this.#word = undefined
    this.endWord()
  }

  expectTarget(): void {
    this.#next = 'target'
  }

  expectDelimiter(onDelimiter: (delimiter: string) => void): void {
    this.#next = 'delimiter'
    this.#onDelimiter = onDelimiter
  }

  #addWord(word: string): void {
    if (this.#words.length === 0 && word === 'esac') this.#patternFrom = undefined
    if (this.#words.length === 0 && (nothingBefore.has(word) || assignment.test(word))) return
    this.#words.push(word)
    if (this.#words[0] === 'function' && this.#words.length === 2) this.#words = [] // its body follows
    if (this.#words[0] === 'case' && this.#words[2] === 'in') this.#endCase()
  }

  /** `case WORD in`: its patterns follow. */
  #endCase(): void {
    this.#words = []
    this.beginPattern()
  }
}
