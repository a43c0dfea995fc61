import type { Started } from '../../board/index.ts'
import { formatRunId } from '../../kernel/index.ts'
import { createRunDirectory, createStageDirectory } from '../../runs/index.ts'
import type { Loop } from '../loop-state.ts'
import type { OpenRun } from '../open-runs.ts'
import { launchBuilt, launching, letStart } from '../start-runs.ts'
import type { LaunchFault } from '../unstarted.ts'
import { buildStageLaunch } from './build-stage-launch.ts'
import { placeStage, sayCommand, stageSpec } from './stage-place.ts'

/**
 * Starts setup or check of an attempt through the start gate, as its work is started. Answers why it could not be; then nothing of
 * it runs. One that is not to go any more (somebody has stopped the attempt) is told by its end, `never`.
 */
export function launchStage(loop: Loop, open: OpenRun, stage: 'prepare' | 'check'): LaunchFault | undefined {
  const record = launching(loop, open, () => launch(loop, open, stage))
  if ('fault' in record) return record
  letStart(loop, [{ open, record }])
  return undefined
}

function launch(loop: Loop, open: OpenRun, stage: 'prepare' | 'check'): Started | LaunchFault {
  const { board, home } = loop
  const run = board.readRun(open.id)
  const task = board.readTask(open.task)
  const spec = board.readSpec(open.task)
  const command = stageSpec(open.plan, stage)
  if (run === undefined || task === undefined || spec === undefined || command === undefined) {
    throw new Error(`${formatRunId(open.id)} has no ${stage} stage`)
  }
  if (!open.hasDirectory) createRunDirectory(home, open.id)
  open.hasDirectory = true
  createStageDirectory(open.runDir, stage)
  const { dir, marker } = placeStage(open, stage)
  const { plan, fence } = open
  const { attempt, slot } = run
  const built = buildStageLaunch(loop, {
    task,
    spec,
    plan,
    stage: command,
    run: open.id,
    attempt,
    fence,
    slot,
    dir,
    marker,
  })
  return launchBuilt(loop, { open, stage, built, token: null, command: sayCommand(command) })
}
