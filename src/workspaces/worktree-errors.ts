import { defineErrors, shellWord } from '../kernel/index.ts'

type Place = { path: string }
type Ours = Place & { task: string }

/** Why a task's worktree is not touched as it stands, or cannot be made complete. */
export const worktreeError = defineErrors({
  WORKSPACES_PLACE_TAKEN: {
    status: 500,
    says: ({ path }: Place) => `${path} is not a folder that we have made: it is left as it is`,
    fix: ({ path }: Place) => `look at ${path} and move it away, then retry the task`,
  },
  WORKSPACES_MARK_BROKEN: {
    status: 500,
    says: ({ path }: Place) => `${path}.made, which says whose folder ${path} is, cannot be read`,
    fix: ({ path }: Place) => `look at ${path}, move both away, then retry the task`,
  },
  WORKSPACES_OTHER_REPO: {
    status: 409,
    says: ({ task, is, asked }: Ours & { is: string; asked: string }) =>
      `${task} has a worktree of ${is} with its work in it, and now asks for one of ${asked}`,
    fix: ({ task }: Ours) => `yardmaster clean ${task}: its work is stored as a patch; then retry it`,
  },
  WORKSPACES_GIT_FILE_ELSEWHERE: {
    status: 409,
    says: ({ path, leads }: Place & { leads: string }) =>
      `the file ${path}/.git does not lead to its own place in the repository any more, but to ${leads}`,
    fix: ({ path }: Place) => `no git is run there; look at it, move ${path} away, then retry the task`,
  },
  WORKSPACES_UNREGISTERED: {
    status: 409,
    says: ({ path, gitDir }: Place & { gitDir: string }) =>
      `the repository ${gitDir} does not know the worktree ${path} any more, which still has files in it`,
    fix: ({ path }: Place) => `save what you need of ${path} and move it away; a retry goes on from its branch`,
  },
  WORKSPACES_PATCH_NOT_SAVED: {
    status: 500,
    says: ({ file, said }: { file: string; said: string }) =>
      `what the attempt before left could not be stored as a patch in ${file}, so it was not reset: ${said}`,
    fix: 'mend that, then retry the task',
  },
  WORKSPACES_COPY_MISSING: {
    status: 400,
    says: ({ pattern, from }: { pattern: string; from: string }) =>
      `${from} has no ${pattern}, which the task wants copied`,
    fix: 'make it, or take it out of workspace.copy',
  },
  WORKSPACES_COPY_OUTSIDE: {
    status: 400,
    says: ({ pattern }: { pattern: string }) => `${pattern} in workspace.copy leads out of the repository`,
    fix: 'name files below its top folder',
  },
  WORKSPACES_COPY_FAILED: {
    status: 500,
    says: ({ path, said }: Place & { said: string }) => `${path} could not be copied into the worktree: ${said}`,
    fix: ({ path }: Place) => `look at it: ls -ld ${shellWord(path)}`,
  },
})
