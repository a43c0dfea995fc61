import { lstatSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Of a run directory: outputs of commands that were too long for a model, kept by our own agent. */
export const outputsFolder = 'outputs'

/**
 * Removes what a worker has kept of outputs and was killed before it could mask: known secrets never stand there, but what only looks
 * like one does, for as long as a model may look at it. Follows no link.
 */
export function removeOutputs(runDir: string): void {
  if (lstatSync(runDir, { throwIfNoEntry: false })?.isDirectory() !== true) return
  rmSync(join(runDir, outputsFolder), { recursive: true, force: true })
}
