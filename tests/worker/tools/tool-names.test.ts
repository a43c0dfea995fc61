import { expect, test } from 'vitest'
import { allGrants, toolNames } from '../../../src/kernel/index.ts'
import { createBoardTools } from '../../../src/worker/board/tools/board-tools.ts'
import { createTools } from '../../../src/worker/tools/tool-set.ts'

test('the names that a lane may allow and switch off are those of the tools, each once and none besides', () => {
  // Only their names are asked for: nothing of what they work with is touched.
  const own = createTools({ commands: {}, surroundings: {} } as never)
  const ofBoard = createBoardTools({ board: {}, grants: allGrants } as never)
  expect([...own, ...ofBoard].map(({ name }) => name).toSorted()).toEqual(toolNames.toSorted())
})
