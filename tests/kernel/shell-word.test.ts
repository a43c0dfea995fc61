import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shellWord } from '../../src/kernel/index.ts'

test('a plain word stands as it is, and everything else in quotes', () => {
  expect(['b.yaml', '/a/B-1_c:2@x', '100%', '', 'a b', "it's", '$(x)', '*', '~/a'].map(shellWord)).toEqual([
    ...['b.yaml', '/a/B-1_c:2@x', '100%', `''`, `'a b'`, `'it'\\''s'`, `'$(x)'`, `'*'`, `'~/a'`],
  ])
})

test('what a terminal would obey is spelled out', () => {
  expect(shellWord('a\u001b[2J')).toBe("$'a\\x1b[2J'")
  expect(shellWord("it's\n\u202eback\\slash")).toBe("$'it\\'s\\n\\u202eback\\\\slash'")
})

test('bash reads back what was written', () => {
  const texts = fc.sample(fc.string({ unit: fc.constantFrom(...'ab \'"\\$`!*~#;&\n\t\u001b\u0085\u202eé😀0') }), 300)
  const words = texts.map((text) => shellWord(text))
  const said = execFileSync('bash', ['-c', `printf '%s\\0' ${words.join(' ')}`], { env: { LC_ALL: 'C.UTF-8' } })
  expect(said.toString('utf8').split('\0').slice(0, -1)).toEqual(texts)
})
