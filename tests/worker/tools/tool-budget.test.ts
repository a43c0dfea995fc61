import { expect, test } from 'vitest'
import { createValueMask, systemClock, toolNames } from '../../../src/kernel/index.ts'
import { createCommandDesk } from '../../../src/worker/tools/terminal/command-desk.ts'
import { describeTool, type Tool } from '../../../src/worker/tools/tool.ts'
import { createTools } from '../../../src/worker/tools/tool-set.ts'
import { openBoardYard } from '../board/board-yard.ts'

/** As the worker estimates them, of what goes to the provider. */
const tokensOf = (tools: readonly Tool[]): number => Math.ceil(JSON.stringify(tools.map(describeTool)).length / 3.6)

function ownTools(workspace: string): readonly Tool[] {
  const surroundings = { env: {}, boardWorker: true, knownSecrets: [] }
  const commands = createCommandDesk({
    ...surroundings,
    clock: systemClock,
    workspace,
    log: () => {},
    commandTimeoutMs: 1_000,
    spillFolder: workspace,
    spilled: 'kept',
    heartbeatMs: 0,
  })
  const maskKnown = createValueMask([])
  return createTools({
    clock: systemClock,
    workspace,
    given: undefined,
    commands,
    surroundings,
    knownSecrets: [],
    maskKnown,
  })
}

test('every tool that a lane can name, with every grant, costs a model at most 2,600 tokens, and those for files 900', async () => {
  await using at = await openBoardYard({ grants: ['create', 'any_lane', 'comment', 'link'] })
  const own = ownTools('/')
  const all = [...own, ...at.tools]

  expect(all.map(({ name }) => name).toSorted()).toEqual([...toolNames].toSorted())
  expect(tokensOf(all)).toBeLessThanOrEqual(2_600)
  expect(tokensOf(own.filter(({ name }) => ['read', 'write', 'patch', 'search'].includes(name)))).toBeLessThanOrEqual(
    900,
  )
})
