import { defineErrors, shellWord } from '../kernel/index.ts'

type Branch = { onto: string }

/** Why patches cannot be applied to a branch. In each case nothing was changed. */
export const applyError = defineErrors({
  WORKSPACES_APPLY_NO_REPOSITORY: {
    status: 400,
    says: ({ path }: { path: string }) => `${path} lies in no git repository`,
    fix: 'cd into the repository that the patches are for, and say it again',
  },
  WORKSPACES_APPLY_BAD_BRANCH: {
    status: 400,
    says: ({ onto }: Branch) => `${JSON.stringify(onto)} is no name of a branch`,
    fix: 'name one without blanks and odd characters, such as --onto refactor/dates',
  },
  WORKSPACES_APPLY_CHECKED_OUT: {
    status: 409,
    says: ({ onto, where }: Branch & { where: string }) =>
      `${onto} is checked out in ${where}, and would change under whoever works there`,
    fix: ({ where }: Branch & { where: string }) =>
      `say it there (cd ${shellWord(where)}), or name another branch with --onto`,
  },
  WORKSPACES_APPLY_DIRTY: {
    status: 409,
    says: ({ onto, files }: Branch & { files: number }) =>
      `${onto} is checked out here, and ${files === 1 ? 'a file has a change that is' : `${files} files have changes that are`} not committed`,
    fix: 'commit or stash them (git stash), or name another branch with --onto',
  },
  WORKSPACES_APPLY_IN_PROGRESS: {
    status: 409,
    says: ({ what, where }: { what: string; where: string }) => `${what} is in progress in ${where}`,
    fix: ({ what }: { what: string; where: string }) =>
      `finish it or give it up (git ${what.replace(/^an? /, '')} --abort), or name a branch that it does not touch with --onto`,
  },
  WORKSPACES_APPLY_NOTHING: {
    status: 400,
    says: () => 'there is no patch to apply',
    fix: 'name a batch, tasks, or a report folder with patches in it; without --checked those without a check count, too',
  },
  WORKSPACES_APPLY_NO_START: {
    status: 409,
    says: ({ onto }: Branch) =>
      `${onto} does not exist, and no commit here would be a beginning for it: the patches have none in common`,
    fix: ({ onto }: Branch) => `make it yourself where it should begin: git branch ${shellWord(onto)} COMMIT`,
  },
  WORKSPACES_APPLY_MOVED: {
    status: 409,
    says: ({ onto, said }: Branch & { said: string }) => `${onto} was not moved to the result: ${said}`,
    fix: 'say it again; it is applied to the branch as it is then',
  },
  WORKSPACES_APPLY_CUT: {
    status: 500,
    says: ({ onto }: Branch) => `it was interrupted; ${onto} was not touched`,
    fix: 'say it again',
  },
  WORKSPACES_APPLY_FAILED: {
    status: 500,
    says: ({ said }: { said: string }) => `git could not apply the patches: ${said}`,
    fix: 'mend what git says and say it again; the branch was not touched',
  },
})
