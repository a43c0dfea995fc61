import { defineErrors, shellWord } from '../../kernel/index.ts'
import type { PatchFault } from './bring-patches.ts'

/** Why `run` does not start, and then nothing was created; or what went wrong with its report afterwards. */
export const runError = defineErrors({
  RUN_LANE_NOT_READY: {
    status: 400,
    says: ({ lanes }: { lanes: readonly { name: string; says: string; tasks: number }[] }) =>
      lanes
        .map(
          ({ name, says, tasks }) =>
            `lane ${name} is not ready (${says}), and ${tasks} ${tasks === 1 ? 'task needs' : 'tasks need'} it`,
        )
        .join('\n'),
    fix: 'give it what is missing; nothing was created',
  },
  RUN_DETACH_NEEDS_HUB: {
    status: 409,
    says: () => '--detach leaves the batch to a hub, and none is up',
    fix: 'yardmaster up -d, then the same again; or without --detach, which works it here',
  },
  RUN_ALREADY_RUNNING: {
    status: 409,
    says: ({ file, pid }: { file: string; pid: number | undefined; name: string }) =>
      `${file} is being run already${pid === undefined ? '' : ` (pid ${pid})`}`,
    fix: ({ name }) =>
      `watch it: yardmaster watch ${shellWord(name)}; or stop that one (Ctrl-C there) and run this again`,
  },
  RUN_REPORT_NOT_WRITTEN: {
    status: 400,
    says: ({ dir, why }: { dir: string; why: string }) => `the report cannot be written into ${dir}: ${why}`,
    fix: 'name a folder that you may write into: --report DIR',
  },
  RUN_REPORT_LOST: {
    status: 500,
    says: ({ dir, why }: { dir: string; why: string; home: string | undefined; batch: number }) =>
      `the last report could not be written into ${dir}: ${why}; the batch itself is on record`,
    fix: ({ home, batch }) =>
      `read it here: ${home === undefined ? '' : `YARDMASTER_HOME=${shellWord(home)} `}yardmaster report B${batch}`,
  },
  RUN_PATCHES_LOST: {
    status: 500,
    says: ({ faults }: { faults: readonly PatchFault[]; home: string | undefined }) => {
      const shown = faults.slice(0, 5).map(({ file, why }) => `${file}: ${why}`)
      const more = faults.length > shown.length ? [`and ${faults.length - shown.length} more`] : []
      return [
        `${faults.length === 1 ? 'a patch' : 'patches'} of the report could not be written`,
        ...shown,
        ...more,
      ].join('\n')
    },
    fix: ({ faults, home }) => {
      const task = /T\d+/.exec(faults[0]?.file ?? '')?.[0] ?? 'T1'
      return `the branches are in their repositories: ${home === undefined ? '' : `YARDMASTER_HOME=${shellWord(home)} `}yardmaster diff ${task}`
    },
  },
})
