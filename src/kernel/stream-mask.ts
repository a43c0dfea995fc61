import { encodingsOf, shortestFormChars, shortestSecretChars } from './redaction.ts'
import type { SecretShape } from './secret-shape.ts'
import { maskText, secretShapes } from './secret-shapes.ts'

/**
 * Masks a text that comes in pieces, so that no secret is shown because a cut went through it: whatever the pieces are,
 * what comes out together is what a `Redactor` makes of the whole. A line that has ended is handed out at once, except in a
 * private key; of one that has not, what could still be the beginning of a secret is held back, at most some 17,000 characters.
 */
export interface StreamMask {
  /** What can be shown by now. */
  push(piece: string): string
  /** What was held back. Nothing may be pushed after it. */
  end(): string
}

/** A mask for these values and for everything that looks like a secret. */
export function createStreamMask(knownSecrets: readonly string[]): StreamMask {
  const values = knownSecrets.filter((value) => value.length >= shortestSecretChars)
  const forms = [...new Set(values.flatMap(encodingsOf))].filter((form) => form.length >= shortestFormChars)
  const known = maskPieces(forms.map(knownShape))
  const shapes = maskPieces(secretShapes)
  return {
    push: (piece) => shapes.push(known.push(piece)),
    end: () => shapes.push(known.end()) + shapes.end(),
  }
}

/** A value that is known is a shape of its own length; it may begin again in its own midst. */
function knownShape(form: string): SecretShape {
  return {
    needs: [form],
    find(text, start) {
      const at = text.indexOf(form, start)
      return at === -1 ? undefined : { at, from: at, to: at + form.length, end: at + 1, is: 'closed' }
    },
    // Only the end of the text that could be its beginning.
    undecided(text, start) {
      let chars = Math.min(form.length - 1, text.length - start)
      while (chars > 0 && !text.endsWith(form.slice(0, chars))) chars -= 1
      return text.length - Math.max(0, chars)
    },
  }
}

function maskPieces(shapes: readonly SecretShape[]): StreamMask {
  /** Not shown yet, behind one character that was: a shape may look at what stands before it. */
  let text = ''
  let shown = 0
  let maskedTo = 0
  const starts = shapes.map(() => 0)
  let spans: { readonly from: number; readonly to: number }[] = []

  /** Where the next match of this shape may begin; what it finds before is noted. */
  function look(shape: SecretShape, start: number, isWhole: boolean): number {
    for (let from = start; ; ) {
      const undecided = isWhole ? text.length : shape.undecided(text, from)
      const match = shape.find(text, from)
      if (match === undefined) return Math.max(from, undecided)
      if (!isWhole && (match.is === 'open' || match.at >= undecided)) {
        return Math.max(from, Math.min(match.at, undecided))
      }
      if (match.from < match.to) spans.push({ from: match.from, to: match.to })
      from = Math.max(match.end, match.at + 1)
    }
  }

  function show(to: number): string {
    let out = ''
    const due = spans.filter(({ from }) => from < to).sort((a, b) => a.from - b.from)
    spans = spans.filter(({ from }) => from >= to)
    for (const span of due) {
      if (span.from >= maskedTo) out += text.slice(Math.max(shown, maskedTo), span.from) + maskText
      shown = Math.max(shown, Math.min(span.to, to))
      maskedTo = Math.max(maskedTo, span.to)
    }
    out += text.slice(Math.max(shown, Math.min(maskedTo, to)), to)
    shown = to
    return out
  }

  function forget(): void {
    const gone = Math.min(shown, ...starts) - 1
    if (gone <= 0) return
    text = text.slice(gone)
    shown -= gone
    maskedTo -= gone
    starts.forEach((start, index) => {
      starts[index] = start - gone
    })
    spans = spans.map(({ from, to }) => ({ from: from - gone, to: to - gone }))
  }

  function take(piece: string, isWhole: boolean): string {
    text += piece
    shapes.forEach((shape, index) => {
      starts[index] = look(shape, starts[index] ?? 0, isWhole)
    })
    const out = show(isWhole ? text.length : Math.max(shown, Math.min(text.length, ...starts)))
    forget()
    return out
  }

  return { push: (piece) => take(piece, false), end: () => take('', true) }
}
