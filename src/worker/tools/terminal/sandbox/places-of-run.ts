import { basename, dirname, resolve } from 'node:path'

/**
 * What of the yard commands of an attempt must not see: its run directory, with the transcript and the settings, and the
 * home of the yard around it, where the store and the keys of others lie (`HOME/runs/0/R981/report.json`).
 */
export function placesOfRun(reportFile: string): readonly string[] {
  const runDir = dirname(resolve(reportFile))
  const runs = dirname(dirname(runDir))
  return basename(runs) === 'runs' ? [dirname(runs), runDir] : [runDir]
}
