import { defineErrors, shellWord } from '../kernel/index.ts'

type Folder = { path: string }

/** Why a folder cannot be the place where a task works. */
export const workspacesError = defineErrors({
  WORKSPACES_FOLDER_RELATIVE: {
    status: 400,
    says: ({ path }: Folder) => `the folder "${path}" is not an absolute path`,
    fix: 'give the whole path, from / on',
  },
  WORKSPACES_FOLDER_MISSING: {
    status: 400,
    says: ({ path }: Folder) => `the folder ${path} does not exist`,
    fix: ({ path }: Folder) =>
      `make it (mkdir -p ${shellWord(path)}) or name another one, then unblock or retry the task`,
  },
  WORKSPACES_NOT_A_FOLDER: {
    status: 400,
    says: ({ path }: Folder) => `${path} is a file, not a folder`,
    fix: 'name a folder, then unblock or retry the task',
  },
  WORKSPACES_FOLDER_CLOSED: {
    status: 400,
    says: ({ path }: Folder) => `the folder ${path} may not be entered or read by this user`,
    fix: 'give this user the right to enter it, or name another one, then unblock or retry the task',
  },
  WORKSPACES_IN_HOME: {
    status: 400,
    says: ({ path, home }: Folder & { home: string }) =>
      `the folder ${path} lies in the yard's own home ${home}, where no task may work`,
    fix: 'name a folder outside of it, or take workspace: scratch; there is no flag around this',
  },
  WORKSPACES_ABOVE_HOME: {
    status: 400,
    says: ({ path, home }: Folder & { home: string }) =>
      `the folder ${path} holds the yard's own home ${home}, so a prompt may not work there`,
    fix: 'name a folder beside the home, or take workspace: scratch',
  },
  WORKSPACES_PROGRAM_FOLDER: {
    status: 400,
    says: ({ path }: Folder) => `yardmaster itself runs from ${path}, so a prompt may not work there`,
    fix: 'name a folder of your own, or take workspace: scratch',
  },
  WORKSPACES_SCRATCH_TAKEN: {
    status: 500,
    says: ({ path }: Folder) => `${path} is not a folder of ours: it is a link or a file`,
    fix: ({ path }: Folder) => `look at ${path} and move it away; the task gets a new one at its next attempt`,
  },
  WORKSPACES_KIND_CHANGED: {
    status: 409,
    says: ({ path, task, is, asked }: Folder & { task: string; is: string; asked: string }) =>
      `${task} has a ${is} of an earlier attempt in ${path}, and now asks for a ${asked}`,
    fix: ({ task, is }: { task: string; is: string }) =>
      `yardmaster clean ${task} takes it away${is === 'worktree' ? ', with its work stored as a patch' : ' with all in it'}; then retry it`,
  },
})
