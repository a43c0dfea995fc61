import { PassThrough } from 'node:stream'
import picocolors from 'picocolors'
import { expect, test } from 'vitest'
import type { CliDeps } from '../../src/cli/command.ts'
import { confirm } from '../../src/cli/confirm.ts'

interface Seat {
  readonly terminal?: boolean
  readonly flags?: Partial<CliDeps['flags']>
  readonly types?: string
}

/** Asks at a terminal where `types` is typed; answers the decision and what was asked. */
async function ask({ terminal = true, flags = {}, types }: Seat) {
  const stream = new PassThrough()
  if (types !== undefined) stream.end(types)
  let asked = ''
  const err = {
    write: (text: string) => {
      asked += text
    },
    isTerminal: terminal,
    width: () => 80,
    height: () => 24,
    closed: new AbortController().signal,
  }
  const deps = {
    stdin: { isTerminal: terminal, readAll: async () => '', stream },
    err,
    flags: { json: false, quiet: false, yes: false, board: undefined, config: undefined, ...flags },
    signals: { interrupted: new AbortController().signal, take: () => () => {} },
    paint: picocolors,
  }
  return { yes: await confirm(deps, 'Cancel 3 tasks?'), asked }
}

test.each([
  ['y\n', true, ''],
  ['YES\n', true, ''],
  ['n\n', false, 'Nothing was done.\n'],
  ['\n', false, 'Nothing was done.\n'],
  ['', false, '\nNothing was done.\n'],
])(
  'a person who types %j is taken at the word, and a no is confirmed on a line of its own',
  async (types, yes, said) => {
    expect(await ask({ types })).toEqual({ yes, asked: `Cancel 3 tasks? [y/N] ${said}` })
  },
)

test('nobody is asked without a terminal, with -y, or with --json', async () => {
  for (const seat of [{ terminal: false }, { flags: { yes: true } }, { flags: { json: true } }]) {
    expect(await ask(seat)).toEqual({ yes: true, asked: '' })
  }
})
