import { defineErrors, shellWord } from '../kernel/index.ts'

type Said = { doing: string; said: string }
type Repo = { repo: string }

/** Why git did not do what a workspace needed. */
export const gitError = defineErrors({
  WORKSPACES_GIT_MISSING: {
    status: 500,
    says: () => 'worktrees need git, and there is none on this machine',
    fix: 'install it (apt install git, dnf install git, apk add git), then retry the task',
  },
  WORKSPACES_GIT_TOO_OLD: {
    status: 500,
    says: ({ version, least }: { version: string; least: string }) =>
      `git ${version} is too old for worktrees of ours, which need ${least}`,
    fix: 'install a newer git, then retry the task',
  },
  WORKSPACES_GIT_FAILED: {
    status: 500,
    says: ({ doing, said }: Said) => `git could not ${doing}: ${said}`,
    fix: 'mend what git says, then retry the task',
  },
  WORKSPACES_GIT_SLOW: {
    status: 503,
    says: ({ doing }: Said) => `git was given up after its time was over: it was to ${doing}`,
    fix: 'look whether the disk or the repository hangs, then retry the task',
  },
  WORKSPACES_GIT_STOPPED: {
    status: 503,
    says: ({ doing }: Said) => `git was ended with this hub: it was to ${doing}`,
    fix: 'nothing: it is done again',
  },
  WORKSPACES_DISK_FULL: {
    status: 507,
    says: ({ doing }: Said) => `there was no room on the disk (or in the quota) to ${doing}; nothing half was left`,
    fix: 'make room, for example with yardmaster clean',
  },
  WORKSPACES_NO_REPOSITORY: {
    status: 400,
    says: ({ repo }: Repo) => `${repo} is no git repository`,
    fix: 'name the folder of one (workspace.repo), or take workspace: scratch or here',
  },
  WORKSPACES_REPO_EMPTY: {
    status: 400,
    says: ({ repo }: Repo) => `the repository ${repo} has no commit that a worktree could begin from`,
    fix: 'make a first commit, then retry the task',
  },
  WORKSPACES_REPO_OF_OTHER: {
    status: 400,
    says: ({ repo, said }: Repo & { said: string }) =>
      `git does not trust ${repo}, which belongs to another user: ${said}`,
    fix: ({ repo }: Repo) => `if you trust it: git config --global --add safe.directory ${shellWord(repo)}`,
  },
  WORKSPACES_REPO_CLOSED: {
    status: 400,
    says: ({ repo, said }: Repo & { said: string }) => `this user may not write into the repository ${repo}: ${said}`,
    fix: 'give this user the right to, or name a clone of your own',
  },
  WORKSPACES_BAD_REF: {
    status: 400,
    says: ({ ref }: { ref: string }) => `${JSON.stringify(ref)} cannot be the name of a branch, tag or commit`,
    fix: 'name a branch, a tag or a commit in workspace.ref',
  },
  WORKSPACES_NO_REF: {
    status: 400,
    says: ({ ref, repo }: Repo & { ref: string }) => `${repo} has no branch, tag or commit ${ref}`,
    fix: ({ near }: { near: readonly string[] }) =>
      near.length === 0 ? 'name one that is there in workspace.ref' : `did you mean ${near.join(' or ')}?`,
  },
  WORKSPACES_BRANCH_ELSEWHERE: {
    status: 409,
    says: ({ branch, where }: { branch: string; where: string }) =>
      `the branch ${branch} of this task is checked out in ${where}, and git allows that once`,
    fix: ({ where }: { where: string }) =>
      `check out another branch there (git -C ${shellWord(where)} switch --detach), then retry the task`,
  },
  WORKSPACES_BRANCH_CLASH: {
    status: 409,
    says: ({ branch, taken }: { branch: string; taken: string }) =>
      `the branch ${branch} cannot be made: there is a branch ${taken}, and git allows no folder of that name beside it`,
    fix: ({ taken }: { taken: string }) => `rename it: git branch -m ${taken} another-name`,
  },
  WORKSPACES_BAD_URL: {
    status: 400,
    says: ({ url }: { url: string }) =>
      `${url} is neither an absolute path nor an address that git may fetch from here`,
    fix: 'write https://…, ssh://…, git@host:path, file:///… or the absolute path of a repository',
  },
  WORKSPACES_URL_SECRET: {
    status: 400,
    says: ({ url }: { url: string }) =>
      `the address ${url} holds a name or password, which would be stored with the task`,
    fix: 'leave it out and let a credential helper of git, or ssh, know it',
  },
  WORKSPACES_REMOTE_ASKS: {
    status: 403,
    says: ({ url, said }: { url: string; said: string }) =>
      `${url} asks for a login that this hub does not have: ${said}`,
    fix: 'try git ls-remote with it as this user; a credential helper or an ssh key without passphrase is what is missing',
  },
  WORKSPACES_REMOTE_MISSING: {
    status: 400,
    says: ({ url, said }: { url: string; said: string }) =>
      `there is no repository at ${url}, or not for this user: ${said}`,
    fix: 'mend workspace.repo, or give this user access',
  },
  WORKSPACES_REMOTE_GONE: {
    status: 503,
    says: ({ url, said }: { url: string; said: string }) => `${url} could not be reached, or the line broke: ${said}`,
    fix: 'it is tried again; if it stays so, try git ls-remote with it',
  },
})
