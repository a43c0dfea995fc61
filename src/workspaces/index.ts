export { workspacesError } from './errors.ts'
export { realFolder, resolveWorkspace, scratchPath, type WorkspaceInput } from './resolve-workspace.ts'
export { makeScratch } from './scratch.ts'
