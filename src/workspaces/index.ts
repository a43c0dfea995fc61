export type { CheckDeps as ApplyDeps } from './apply-check.ts'
export type { PatchToApply } from './apply-one.ts'
export { type Applied, type ApplyInput, applyPatches } from './apply-patches.ts'
export { workspacesError } from './errors.ts'
export {
  findRepository,
  type Repository,
  sayHead,
} from './find-repository.ts'
export { harvest } from './harvest.ts'
export { recallForHarvest } from './harvest-recall.ts'
export { type ListedWorkspace, listWorkspaces } from './list-workspaces.ts'
export { type CodeFacts, lookAtCode } from './look-at-code.ts'
export { type MadeWorktree, makeWorktree } from './make-worktree.ts'
export { type PutBack, putBack } from './put-back.ts'
export { resolveWorkspace, scratchPath, type WorkspaceInput } from './resolve-workspace.ts'
export { retireWorktree } from './retire-worktree.ts'
export { saveState } from './save-state.ts'
export { makeScratch, retireScratch } from './scratch.ts'
export { restoreSetup, staleSetups, storeSetup } from './setup-cache.ts'
export { isSetupDue, markSetupDone } from './setup-state.ts'
export { treeSize } from './tree-size.ts'
export { retireUnusedMirrors } from './unused-mirrors.ts'
export { recallWorktree, type WorkspaceDeps, type Worktree } from './worktree.ts'
