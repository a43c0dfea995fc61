import { type ChatFlag, chatFlagHeadings, chatFlags } from './flags.ts'

/** As wide as the help of the other verbs. */
const widest = 110
/** Where the meanings begin. */
const column = 36

/** `yardmaster chat --help`, for a terminal of so many columns; undefined: it goes somewhere else. */
export function chatHelp(columns?: number): string {
  const width = Math.max(column + 20, Math.min(columns ?? widest, widest))
  const flags = Object.values<ChatFlag>(chatFlags)
  const parts = Object.entries(chatFlagHeadings).flatMap(([of, heading]) => [
    '',
    `${heading}:`,
    ...flags.filter((flag) => flag.of === of).map((flag) => describeFlag(flag, width)),
  ])
  return `${[
    'yardmaster chat -q TEXT --model NAME [flags]',
    '',
    wrap(about, width),
    ...parts,
    '',
    wrap('Exit: 0 done · 1 failed or not finished · 75 try later (board workers only) · 130 interrupted', width),
  ].join('\n')}\n`
}

const about =
  'One task, worked on in the current folder to its end. The answer goes to stdout, the log to stderr; what is piped in ' +
  'goes along as data. The key comes from YARDMASTER_API_KEY, or OPENAI_API_KEY; the server also from OPENAI_BASE_URL.'

function describeFlag({ name, short, value, oneOf, byDefault, means }: ChatFlag, width: number): string {
  const takes = value === undefined ? '' : ` ${oneOf === undefined ? value : oneOf.join('|')}`
  const written = `${short === undefined ? '    ' : `-${short}, `}--${name}${takes}`
  const preset = byDefault === undefined ? '' : ` (${byDefault})`
  const indent = ' '.repeat(column)
  const gap = written.length < column - 3 ? written.padEnd(column - 2) : `${written}\n${indent}`
  return `  ${gap}${wrap(`${means}${preset}`, width - column).replaceAll('\n', `\n${indent}`)}`
}

/** Broken at blanks; a longer word stands on a line of its own. */
function wrap(text: string, width: number): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.join('\n')
}
