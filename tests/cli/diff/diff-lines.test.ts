import picocolors from 'picocolors'
import { describe, expect, test } from 'vitest'
import { colourDiff } from '../../../src/cli/diff/diff-lines.ts'

const paint = picocolors.createColors(true)

async function shown(pieces: readonly (string | Uint8Array)[]): Promise<string> {
  async function* chunks() {
    for (const piece of pieces) yield typeof piece === 'string' ? Buffer.from(piece) : piece
  }
  let text = ''
  for await (const piece of colourDiff(paint, chunks())) text += piece
  return text
}

describe('a diff on a terminal', () => {
  test('has its lines in colour by their first sign, however they come in pieces', async () => {
    const text = await shown(['diff --git a/x b/x\n@@ -1 +1 @@\n-o', 'ld\n+new\n plain\tä'])
    const lines = [paint.bold('diff --git a/x b/x'), paint.cyan('@@ -1 +1 @@'), paint.red('-old'), paint.green('+new')]
    expect(text).toBe(`${[...lines, ' plain\tä'].join('\n')}\n`)
  })

  test('shows what a file brings along to hide: no line is written over, turned around or coloured by it', async () => {
    const text = await shown(['+rm -rf /\r+echo hello   \n+a\u202eb\u001b[8mc\u001b]0;x\u0007\n'])
    expect(text).toBe(
      `${paint.green('+rm -rf /\\x0d+echo hello   ')}\n${paint.green('+a\\u202eb\\e[8mc\\e]0;x\\x07')}\n`,
    )
  })

  test('is shown as it comes: a line of many megabytes is not waited for', async () => {
    const piece = Buffer.alloc(64 * 1024, 'x')
    let asked = 0
    async function* endless() {
      yield Buffer.from('+')
      for (; asked < 1_000; asked += 1) yield piece
    }
    let bytes = 0
    let askedAtFirst = 0
    for await (const text of colourDiff(paint, endless())) {
      if (askedAtFirst === 0 && text !== '') askedAtFirst = asked
      bytes += text.replaceAll(/[^+x]/g, '').length
      expect(text.length).toBeLessThan(1024 * 1024)
    }
    expect(bytes).toBe(1 + 1_000 * piece.length)
    expect(askedAtFirst).toBeLessThan(20)
  })
})
