import { CommandList, type ShellEvent } from './command-list.ts'
import { type HereText, readHereTexts, skipArithmetic, skipBraces, skipQuoted } from './shell-quotes.ts'

export interface ShellReading {
  readonly events: readonly ShellEvent[]
  /** unclear: a quote or bracket never ends, or it is nested too deeply; then the events are a guess. */
  readonly reading: 'clear' | 'unclear'
}

/**
 * Reads bash as far as one needs to know which commands it starts and what it sends into the background. Quotes, here
 * documents, comments, arithmetic and redirections are taken for what they are. Never throws, and is linear in the text.
 */
export function readShell(text: string): ShellReading {
  const reader = new ShellReader(text)
  reader.readList('end')
  return { events: reader.events, reading: reader.isUnclear ? 'unclear' : 'clear' }
}

const deepest = 100

/** Where a text is read, and what was met so far. Lives for one text. */
class ShellReader {
  readonly events: ShellEvent[] = []
  isUnclear = false
  readonly #text: string
  #at = 0
  #depth = 0
  #scopes = 0
  #hereTexts: HereText[] = []

  constructor(text: string) {
    this.#text = text
  }

  /** Reads commands up to the bracket that closes them, or to the end. */
  readList(until: 'end' | ')'): void {
    if (this.#depth >= deepest) {
      this.isUnclear = true
      this.#at = this.#text.length
      return
    }
    this.#depth += 1
    this.#scopes += 1
    const list = new CommandList(this.events, this.#scopes)
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at] as string
      if (char === ')') {
        this.#at += 1
        if (list.inPattern) {
          list.endPattern()
          continue
        }
        list.endCommand()
        if (until === ')') {
          this.#depth -= 1
          return
        }
        continue // of a pattern of `case`
      }
      this.#readOne(char, list)
    }
    list.endCommand()
    if (until === ')') this.isUnclear = true
    this.#depth -= 1
  }

  #readOne(char: string, list: CommandList): void {
    const next = this.#text[this.#at + 1]
    if (this.#readTest(char, list)) return
    if (char === ' ' || char === '\t' || char === '\r') {
      this.#at += 1
      list.endWord()
    } else if (char === '\n') {
      this.#at += 1
      list.endCommand()
      this.#skipHereTexts()
    } else if (char === '#') {
      if (list.inWord) this.#take(1, list)
      else this.#at = this.#indexOrEnd('\n')
    } else if (char === ';' || char === '|') {
      this.#at += char === '|' && next === '&' ? 2 : 1
      list.endCommand()
      if (char === ';' && (next === ';' || next === '&')) this.#endOfCase(list)
    } else if (char === '&') this.#readAmpersand(next, list)
    else if (char === '<' || char === '>') this.#readRedirection(char, next, list)
    else if (char === '(') this.#readBracket(next, list)
    else this.#readPart(char, next, list)
  }

  /** Whether it was taken as a part of `[[ … ]]`, where brackets and signs start nothing. */
  #readTest(char: string, list: CommandList): boolean {
    const word = /^(\[\[|\]\])(?=[\s;&|)]|$)/.exec(this.#text.slice(this.#at, this.#at + 3))?.[1]
    if (word === '[[' && list.atStart) list.inTest = true
    else if (word === ']]' && !list.inWord) list.inTest = false
    if (!list.inTest || !'()<>&|'.includes(char)) return false
    this.#take(1, list)
    return true
  }

  /** The second half of `;;`, `;;&`, `;&`: a pattern follows, or `esac`. */
  #endOfCase(list: CommandList): void {
    this.#at += this.#text[this.#at + 1] === '&' ? 2 : 1
    list.beginPattern()
  }

  #readAmpersand(next: string | undefined, list: CommandList): void {
    if (next === '>') {
      this.#at += this.#text[this.#at + 2] === '>' ? 3 : 2
      list.endWord()
      list.expectTarget()
    } else if (next === '&') {
      this.#at += 2
      list.endCommand()
    } else {
      this.#at += 1
      list.sendToBackground()
    }
  }

  #readRedirection(char: string, next: string | undefined, list: CommandList): void {
    if (next === '(') {
      this.#at += 2
      list.add(`${char}(…)`)
      this.readList(')')
      return
    }
    list.dropDescriptor()
    const operator = /^(?:<<<|<<-|<<|<>|<&|>>|>&|>\||[<>])/.exec(this.#text.slice(this.#at, this.#at + 3))?.[0] ?? char
    this.#at += operator.length
    if (operator !== '<<' && operator !== '<<-') list.expectTarget()
    else {
      list.expectDelimiter((delimiter) =>
        this.#hereTexts.push({ delimiter, tabs: operator === '<<-' ? 'stripped' : 'kept' }),
      )
    }
  }

  #readBracket(next: string | undefined, list: CommandList): void {
    if (list.inPattern && list.atStart) {
      this.#at += 1 // `(a)` before its pattern
    } else if (next === ')' && list.hasOneWord) {
      this.#at += 2 // `name ()`
      list.dropCommand()
    } else if (next === '(' && (list.atStart || list.first === 'for')) {
      this.#at = this.#endOr(skipArithmetic(this.#text, this.#at + 2))
    } else if (list.inWord && next === ')') {
      this.#at += 2 // `name()`: what follows is the body of a function
      list.dropCommand()
    } else {
      const isArray = list.inWord
      const known = this.events.length
      this.#at += 1
      this.readList(')')
      if (isArray) this.events.length = known
    }
  }

  #readPart(char: string, next: string | undefined, list: CommandList): void {
    if (char === '\\') {
      if (next === '\n') {
        this.#at += 2
        return
      }
      list.add(next ?? '')
      this.#at += 2
    } else if (char === "'") {
      this.#takeQuoted(this.#at + 1, "'", 'plain', list)
    } else if (char === '$' && next === "'") {
      this.#takeQuoted(this.#at + 2, "'", 'escapes', list)
    } else if (char === '"' || (char === '$' && next === '"')) {
      this.#at += char === '"' ? 1 : 2
      this.#readDoubleQuoted(list)
    } else if (!this.#readExpansion(char, next, list)) {
      this.#take(this.#plainLength(), list)
    }
  }

  /** Whether there was one: `$(…)`, `$((…))`, `${…}` or backticks. */
  #readExpansion(char: string, next: string | undefined, list: CommandList): boolean {
    if (char === '`') {
      const end = skipQuoted(this.#text, this.#at + 1, '`', 'escapes')
      const inner = this.#text.slice(this.#at + 1, end ?? this.#text.length)
      this.#readInner(inner.replace(/\\([`\\$])/g, '$1'))
      list.add('`…`')
      this.#at = this.#endOr(end === undefined ? undefined : end + 1)
      return true
    }
    if (char !== '$' || (next !== '(' && next !== '{')) return false
    const isArithmetic = next === '(' && this.#text[this.#at + 2] === '('
    list.add(`$${next}…`)
    if (isArithmetic) this.#at = this.#endOr(skipArithmetic(this.#text, this.#at + 3))
    else if (next === '{') this.#at = this.#endOr(skipBraces(this.#text, this.#at + 2))
    else {
      this.#at += 2
      this.readList(')')
    }
    return true
  }

  #readDoubleQuoted(list: CommandList): void {
    list.add('')
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at] as string
      const next = this.#text[this.#at + 1]
      if (char === '"') {
        this.#at += 1
        return
      }
      if (char === '\\') {
        const isEscape = next !== undefined && '"\\$`\n'.includes(next)
        list.add(isEscape ? (next === '\n' ? '' : next) : `\\${next ?? ''}`)
        this.#at += 2
      } else if (!this.#readExpansion(char, next, list)) {
        const plain = /^[^"\\$`]+/.exec(this.#text.slice(this.#at, this.#at + 4_096))?.[0].length ?? 1
        this.#take(plain, list)
      }
    }
    this.isUnclear = true
  }

  #readInner(text: string): void {
    const outer = this.#depth
    if (outer >= deepest) {
      this.isUnclear = true
      return
    }
    const inner = new ShellReader(text)
    inner.#depth = outer + 1
    inner.#scopes = this.#scopes
    inner.readList('end')
    for (const event of inner.events) this.events.push(event)
    this.#scopes = inner.#scopes
    this.isUnclear ||= inner.isUnclear
  }

  #takeQuoted(from: number, quote: string, how: 'plain' | 'escapes', list: CommandList): void {
    const end = skipQuoted(this.#text, from, quote, how)
    list.add(this.#text.slice(from, end ?? this.#text.length))
    this.#at = this.#endOr(end === undefined ? undefined : end + 1)
  }

  #take(length: number, list: CommandList): void {
    list.add(this.#text.slice(this.#at, this.#at + length))
    this.#at += length
  }

  #plainLength(): number {
    return /^[^\s;|&<>()\\'"$`#]+/.exec(this.#text.slice(this.#at, this.#at + 4_096))?.[0].length ?? 1
  }

  #skipHereTexts(): void {
    if (this.#hereTexts.length === 0) return
    this.#at = this.#endOr(readHereTexts(this.#text, this.#at, this.#hereTexts))
    this.#hereTexts = []
  }

  #indexOrEnd(char: string): number {
    const found = this.#text.indexOf(char, this.#at)
    return found === -1 ? this.#text.length : found
  }

  #endOr(at: number | undefined): number {
    if (at === undefined) this.isUnclear = true
    return at ?? this.#text.length
  }
}
