import { type ChatFlag, chatFlagHeadings, chatFlags } from './flags.ts'

/** `yardmaster chat --help`. */
export function chatHelp(): string {
  const flags = Object.values<ChatFlag>(chatFlags)
  const parts = Object.entries(chatFlagHeadings).flatMap(([of, heading]) => [
    '',
    `${heading}:`,
    ...flags.filter((flag) => flag.of === of).map(describeFlag),
  ])
  return `${[
    'yardmaster chat -q TEXT --model NAME [flags]',
    '',
    'One task, worked on in the current folder to its end. The answer goes to stdout, the log to stderr; what is piped',
    'in goes along as data. The key comes from YARDMASTER_API_KEY, or OPENAI_API_KEY; the server also from',
    'OPENAI_BASE_URL.',
    ...parts,
    '',
    'Exit: 0 done · 1 failed or not finished · 75 try later (board workers only) · 130 interrupted',
  ].join('\n')}\n`
}

function describeFlag({ name, short, value, oneOf, byDefault, means }: ChatFlag): string {
  const takes = value === undefined ? '' : ` ${oneOf === undefined ? value : oneOf.join('|')}`
  const written = `${short === undefined ? '    ' : `-${short}, `}--${name}${takes}`
  const preset = byDefault === undefined ? '' : ` (${byDefault})`
  const gap = written.length < 33 ? written.padEnd(34) : `${written}\n${' '.repeat(36)}`
  return `  ${gap}${means}${preset}`
}
