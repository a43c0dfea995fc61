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
  let rest = words
  let ends: Unwrapped['ends'] = 'unknown'
  while (rest.length > 0) {
    const name = basename(rest[0] as string)
    if (name === 'timeout') ends = 'timed'
    const behind = wrapperOf(name, rest)
    if (behind === undefined) return { words: [name, ...rest.slice(1)], ends }
    rest = behind
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

function wrapperOf(name: string, words: readonly string[]): readonly string[] | undefined {
  if (name === 'command') return /^-[vV]/.test(words[1] ?? '') ? [] : skipOptions(words.slice(1), [])
  if (name === 'timeout') return skipOptions(words.slice(1), ['-k', '-s', '--kill-after', '--signal']).slice(1)
  const withWord = Object.hasOwn(plainWrappers, name) ? plainWrappers[name] : undefined
  if (withWord !== undefined) return skipOptions(words.slice(1), withWord)
  const seconds = Object.hasOwn(twoWordWrappers, name) ? twoWordWrappers[name] : undefined
  return seconds?.includes(words[1] ?? '') === true
    ? skipOptions(words.slice(2), ['--with', '--package', '-p'])
    : undefined
}

function skipOptions(words: readonly string[], withWord: readonly string[]): readonly string[] {
  let at = 0
  while (at < words.length) {
    const word = words[at] as string
    if (withWord.includes(word)) at += 2
    else if (word.startsWith('-') || /^[A-Za-z_][A-Za-z0-9_]*=/.test(word)) at += 1
    else break
  }
  return words.slice(at)
}
