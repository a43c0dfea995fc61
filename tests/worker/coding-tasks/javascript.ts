import type { CodingTask } from './coding-task.ts'

const inJavascript = (
  name: string,
  task: Pick<CodingTask, 'asks' | 'text' | 'fault'> & { readonly check: string },
): CodingTask => {
  const file = `${name}.mjs`
  const text = `import assert from 'node:assert/strict'\nimport * as it from './${file}'\n${task.check}\n`
  return { ...task, name, file, check: { file: 'check.mjs', text, run: 'node check.mjs' } }
}

/** Fourteen functions in JavaScript. */
export const javascriptTasks: readonly CodingTask[] = [
  inJavascript('sum-range', {
    asks: 'sumRange(from, to) must count both ends.',
    text: `export function sumRange(from, to) {
  let sum = 0
  for (let n = from; n <= to; n += 1) sum += n
  return sum
}
`,
    fault: { right: 'n <= to', wrong: 'n < to' },
    check: 'assert.equal(it.sumRange(1, 4), 10)\nassert.equal(it.sumRange(3, 3), 3)',
  }),
  inJavascript('clamp', {
    asks: 'clamp(value, least, most) mixes up its bounds.',
    text: `export const clamp = (value, least, most) => Math.max(least, Math.min(most, value))
`,
    fault: { right: 'Math.max(least, Math.min(most, value))', wrong: 'Math.min(least, Math.max(most, value))' },
    check:
      'assert.equal(it.clamp(12, 0, 10), 10)\nassert.equal(it.clamp(-1, 0, 10), 0)\nassert.equal(it.clamp(4, 0, 10), 4)',
  }),
  inJavascript('title-case', {
    asks: 'titleCase must leave the rest of each word in lower case.',
    text: `export const titleCase = (text) =>
  text.replace(/\\w+/g, (word) => word[0].toUpperCase() + word.slice(1).toLowerCase())
`,
    fault: { right: 'word.slice(1).toLowerCase()', wrong: 'word.slice(1)' },
    check: "assert.equal(it.titleCase('gREEN signal'), 'Green Signal')",
  }),
  inJavascript('group-by', {
    asks: 'groupBy loses all rows of a group but the last.',
    text: `export function groupBy(rows, keyOf) {
  const groups = new Map()
  for (const row of rows) {
    const key = keyOf(row)
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  return groups
}
`,
    fault: { right: '[...(groups.get(key) ?? []), row]', wrong: '[row]' },
    check: 'assert.deepEqual([...it.groupBy([1, 2, 3], (n) => n % 2)], [[1, [1, 3]], [0, [2]]])',
  }),
  inJavascript('parse-pairs', {
    asks: 'parsePairs cuts a value off at its second equals sign.',
    text: `export function parsePairs(text) {
  return Object.fromEntries(
    text.split('\\n').filter(Boolean).map((line) => {
      const at = line.indexOf('=')
      return [line.slice(0, at), line.slice(at + 1)]
    }),
  )
}
`,
    fault: { right: 'line.slice(at + 1)', wrong: "line.split('=')[1]" },
    check: "assert.deepEqual(it.parsePairs('a=1\\nb=x=y\\n'), { a: '1', b: 'x=y' })",
  }),
  inJavascript('median', {
    asks: 'median is wrong for numbers of different length: they are sorted as text.',
    text: `export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
`,
    fault: { right: '.sort((a, b) => a - b)', wrong: '.sort()' },
    check: 'assert.equal(it.median([10, 9, 100]), 10)\nassert.equal(it.median([1, 2, 3, 4]), 2.5)',
  }),
  inJavascript('debt-free', {
    asks: 'splitBill loses cents: the parts must add up to the whole.',
    text: `export function splitBill(cents, people) {
  const part = Math.floor(cents / people)
  const left = cents - part * people
  return Array.from({ length: people }, (_, n) => part + (n < left ? 1 : 0))
}
`,
    fault: { right: 'part + (n < left ? 1 : 0)', wrong: 'part' },
    check: 'assert.deepEqual(it.splitBill(100, 3), [34, 33, 33])',
  }),
  inJavascript('is-leap-year', {
    asks: 'isLeapYear forgets the rule of the centuries.',
    text: `export const isLeapYear = (year) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
`,
    fault: { right: '(year % 4 === 0 && year % 100 !== 0) || year % 400 === 0', wrong: 'year % 4 === 0' },
    check: 'assert.deepEqual([2024, 1900, 2000, 2023].map(it.isLeapYear), [true, false, true, false])',
  }),
  inJavascript('chunk', {
    asks: 'chunk drops the last, shorter part.',
    text: `export function chunk(list, size) {
  const parts = []
  for (let at = 0; at < list.length; at += size) parts.push(list.slice(at, at + size))
  return parts
}
`,
    fault: { right: 'at < list.length', wrong: 'at + size <= list.length' },
    check: 'assert.deepEqual(it.chunk([1, 2, 3, 4, 5], 2), [[1, 2], [3, 4], [5]])',
  }),
  inJavascript('escape-html', {
    asks: 'escapeHtml escapes its own ampersands a second time.',
    text: `export const escapeHtml = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
`,
    fault: {
      right: ".replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')",
      wrong: ".replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('&', '&amp;')",
    },
    check: "assert.equal(it.escapeHtml('a < b & c'), 'a &lt; b &amp; c')",
  }),
  inJavascript('retry-wait', {
    asks: 'retryWaitMs must double with each failure and stop at its cap.',
    text: `export const retryWaitMs = (failures, baseMs, capMs) => Math.min(capMs, baseMs * 2 ** (failures - 1))
`,
    fault: { right: 'baseMs * 2 ** (failures - 1)', wrong: 'baseMs * 2 * failures' },
    check: 'assert.deepEqual([1, 2, 3, 9].map((n) => it.retryWaitMs(n, 10, 100)), [10, 20, 40, 100])',
  }),
  inJavascript('unique', {
    asks: 'uniqueBy keeps the last of equal rows; it must keep the first.',
    text: `export function uniqueBy(rows, keyOf) {
  const seen = new Map()
  for (const row of rows) if (!seen.has(keyOf(row))) seen.set(keyOf(row), row)
  return [...seen.values()]
}
`,
    fault: { right: 'if (!seen.has(keyOf(row))) seen.set', wrong: 'seen.set' },
    check: "assert.deepEqual(it.uniqueBy(['ab', 'ac', 'b'], (word) => word[0]), ['ab', 'b'])",
  }),
  inJavascript('roman', {
    asks: 'toRoman writes 4 as IIII.',
    text: `const signs = [[10, 'X'], [9, 'IX'], [5, 'V'], [4, 'IV'], [1, 'I']]
export function toRoman(number) {
  let left = number
  let text = ''
  for (const [value, sign] of signs) for (; left >= value; left -= value) text += sign
  return text
}
`,
    fault: { right: "[5, 'V'], [4, 'IV']", wrong: "[5, 'V']" },
    check: "assert.deepEqual([4, 9, 14, 30].map(it.toRoman), ['IV', 'IX', 'XIV', 'XXX'])",
  }),
  inJavascript('deep-freeze', {
    asks: 'deepFreeze freezes the outermost object only.',
    text: `export function deepFreeze(value) {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) deepFreeze(part)
  return Object.freeze(value)
}
`,
    fault: { right: '  for (const part of Object.values(value)) deepFreeze(part)\n', wrong: '' },
    check: 'assert.ok(Object.isFrozen(it.deepFreeze({ a: { b: [1] } }).a.b))',
  }),
]
