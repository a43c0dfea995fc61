import { describeBoard } from './describe-board.ts'
import { openInMemory, openOnDisk, openReopened } from './open-test-board.ts'

describeBoard('in memory', openInMemory)
describeBoard('on disk', openOnDisk)
describeBoard('opened again before each call', openReopened)
