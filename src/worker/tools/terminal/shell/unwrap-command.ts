import { basename } from 'node:path'

/** What a simple command really starts: the words behind `env`, `sudo`, `npx` and their like. */
export interface Unwrapped {
  /** The first is the program's own name, without folders. Empty where nothing is started. */
  readonly words: readonly string[]
  /** timed: something ends it after a while by itself, as `timeout 5`. */
  readonly ends: 'unknown' | 'timed'
}

/** Takes off what only prepares or bounds a command. */
export function unwrapCommand(words: readonly string[]): Unwrapped {
  let at = 0
  let ends: Unwrapped['ends'] = 'unknown'
  while (at < words.length) {
    const name = basename(words[at] as string)
    if (name === 'timeout') ends = 'timed'
    const behind = skipWrapper(name, words, at)
    if (behind === undefined) return { words: [name, ...words.slice(at + 1)], ends }
    at = behind
  }
  return { words: [], ends }
}

/** Words that stand before the program, by wrapper; the options listed take a word of their own. */
const plainWrappers: Readonly<Record<string, readonly string[]>> = {
  env: ['-u', '-C', '-S', '--unset', '--chdir'],
  'cross-env': [],
  sudo: ['-u', '-g', '-h', '-p', '-C', '-D'],
  doas: ['-u'],
  exec: ['-a'],
  time: ['-f', '-o'],
  nice: ['-n'],
  ionice: ['-c', '-n'],
  stdbuf: ['-i', '-o', '-e'],
  chronic: [],
  unbuffer: [],
  xargs: ['-I', '-n', '-P', '-L', '-d', '-a', '-s'],
  strace: ['-o', '-e', '-p'],
  npx: ['-p', '--package', '-c'],
  bunx: [],
  uvx: ['--from', '--with'],
  builtin: [],
}

/** `npm exec`, `uv run`: two words before the program. */
const twoWordWrappers: Readonly<Record<string, readonly string[]>> = {
  npm: ['exec', 'x'],
  pnpm: ['exec', 'dlx'],
  yarn: ['exec', 'dlx'],
  bun: ['x'],
  bundle: ['exec'],
  uv: ['run'],
  poetry: ['run'],
  pipenv: ['run'],
  pdm: ['run'],
  rye: ['run'],
  hatch: ['run'],
}

/** Behind the wrapper of this name at this place; undefined where it is none. */
function skipWrapper(name: string, words: readonly string[], at: number): number | undefined {
  if (name === 'command') return /^-[vV]/.test(words[at + 1] ?? '') ? words.length : skipOptions(words, at + 1, [])
  if (name === 'timeout') return skipOptions(words, at + 1, ['-k', '-s', '--kill-after', '--signal']) + 1
  const withWord = Object.hasOwn(plainWrappers, name) ? plainWrappers[name] : undefined
  if (withWord !== undefined) return skipOptions(words, at + 1, withWord)
  const seconds = Object.hasOwn(twoWordWrappers, name) ? twoWordWrappers[name] : undefined
  return seconds?.includes(words[at + 1] ?? '') === true
    ? skipOptions(words, at + 2, ['--with', '--package', '-p'])
    : undefined
}

function skipOptions(words: readonly string[], from: number, withWord: readonly string[]): number {
  let at = from
  while (at < words.length) {
    const word = words[at] as string
    if (withWord.includes(word)) at += 2
    else if (word.startsWith('-') || /^[A-Za-z_][A-Za-z0-9_]*=/.test(word)) at += 1
    else break
  }
  return at
}
