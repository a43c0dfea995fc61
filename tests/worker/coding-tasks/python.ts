import type { CodingTask } from './coding-task.ts'

const inPython = (
  name: string,
  task: Pick<CodingTask, 'asks' | 'text' | 'fault'> & { readonly check: string },
): CodingTask => ({
  ...task,
  name,
  file: `${name}.py`,
  check: { file: 'check.py', text: `from ${name} import *\n${task.check}\n`, run: 'python3 check.py' },
})

/** Thirteen functions in Python. */
export const pythonTasks: readonly CodingTask[] = [
  inPython('fence_posts', {
    asks: 'posts(length, gap) forgets the last post.',
    text: 'def posts(length, gap):\n    return length // gap + 1\n',
    fault: { right: 'length // gap + 1', wrong: 'length // gap' },
    check: 'assert posts(10, 2) == 6\nassert posts(0, 3) == 1',
  }),
  inPython('shared_default', {
    asks: 'collect() remembers what earlier calls were given.',
    text: 'def collect(value, into=None):\n    into = [] if into is None else into\n    into.append(value)\n    return into\n',
    fault: {
      right: 'into=None):\n    into = [] if into is None else into\n',
      wrong: 'into=[]):\n',
    },
    check: 'assert collect(1) == [1]\nassert collect(2) == [2]',
  }),
  inPython('word_count', {
    asks: 'word_count must not tell upper from lower case.',
    text: 'def word_count(text):\n    counts = {}\n    for word in text.lower().split():\n        counts[word] = counts.get(word, 0) + 1\n    return counts\n',
    fault: { right: 'text.lower().split()', wrong: 'text.split()' },
    check: "assert word_count('Rail rail road') == {'rail': 2, 'road': 1}",
  }),
  inPython('binary_search', {
    asks: 'find misses the last element.',
    text: 'def find(values, wanted):\n    low, high = 0, len(values) - 1\n    while low <= high:\n        middle = (low + high) // 2\n        if values[middle] == wanted:\n            return middle\n        if values[middle] < wanted:\n            low = middle + 1\n        else:\n            high = middle - 1\n    return -1\n',
    fault: { right: 'low <= high', wrong: 'low < high' },
    check: 'assert find([1, 3, 5], 5) == 2\nassert find([1, 3, 5], 4) == -1',
  }),
  inPython('temperature', {
    asks: 'to_celsius is off for everything but the freezing point of water.',
    text: 'def to_celsius(fahrenheit):\n    return (fahrenheit - 32) * 5 / 9\n',
    fault: { right: '* 5 / 9', wrong: '* 9 / 5' },
    check: 'assert to_celsius(212) == 100\nassert to_celsius(32) == 0',
  }),
  inPython('flatten', {
    asks: 'flatten goes one level deep only.',
    text: 'def flatten(values):\n    flat = []\n    for value in values:\n        if isinstance(value, list):\n            flat.extend(flatten(value))\n        else:\n            flat.append(value)\n    return flat\n',
    fault: { right: 'flat.extend(flatten(value))', wrong: 'flat.extend(value)' },
    check: 'assert flatten([1, [2, [3, [4]]]]) == [1, 2, 3, 4]',
  }),
  inPython('palindrome', {
    asks: 'is_palindrome must ignore blanks and case.',
    text: 'def is_palindrome(text):\n    letters = [c.lower() for c in text if c.isalnum()]\n    return letters == letters[::-1]\n',
    fault: { right: '[c.lower() for c in text if c.isalnum()]', wrong: 'list(text)' },
    check: "assert is_palindrome('Never odd or even')\nassert not is_palindrome('rail yard')",
  }),
  inPython('gcd', {
    asks: 'gcd never ends when its second number is 0.',
    text: 'def gcd(a, b):\n    while b != 0:\n        a, b = b, a % b\n    return abs(a)\n',
    fault: { right: 'return abs(a)', wrong: 'return b' },
    check: 'assert gcd(12, 18) == 6\nassert gcd(7, 0) == 7\nassert gcd(-4, 6) == 2',
  }),
  inPython('moving_average', {
    asks: 'moving_average has one value too few.',
    text: 'def moving_average(values, size):\n    return [sum(values[at:at + size]) / size for at in range(len(values) - size + 1)]\n',
    fault: { right: 'len(values) - size + 1', wrong: 'len(values) - size' },
    check: 'assert moving_average([1, 2, 3, 4], 2) == [1.5, 2.5, 3.5]',
  }),
  inPython('merge_spans', {
    asks: 'merge forgets that a span may lie wholly inside the one before.',
    text: 'def merge(spans):\n    merged = []\n    for start, end in sorted(spans):\n        if merged and start <= merged[-1][1]:\n            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))\n        else:\n            merged.append((start, end))\n    return merged\n',
    fault: { right: 'max(end, merged[-1][1])', wrong: 'end' },
    check: 'assert merge([(1, 9), (2, 3), (12, 14)]) == [(1, 9), (12, 14)]',
  }),
  inPython('caesar', {
    asks: 'shift does not come round at the end of the alphabet.',
    text: "def shift(text, by):\n    return ''.join(chr((ord(c) - 97 + by) % 26 + 97) if c.islower() else c for c in text)\n",
    fault: { right: '(ord(c) - 97 + by) % 26 + 97', wrong: 'ord(c) + by' },
    check: "assert shift('xyz!', 3) == 'abc!'",
  }),
  inPython('safe_divide', {
    asks: 'ratio must answer None where nothing can be divided, not 0.',
    text: 'def ratio(part, whole):\n    return None if whole == 0 else part / whole\n',
    fault: { right: 'None if', wrong: '0 if' },
    check: 'assert ratio(1, 0) is None\nassert ratio(1, 4) == 0.25',
  }),
  inPython('transpose', {
    asks: 'transpose swaps nothing.',
    text: 'def transpose(rows):\n    return [list(column) for column in zip(*rows)]\n',
    fault: { right: 'zip(*rows)', wrong: 'rows' },
    check: 'assert transpose([[1, 2, 3], [4, 5, 6]]) == [[1, 4], [2, 5], [3, 6]]',
  }),
]
