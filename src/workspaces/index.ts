export { workspacesError } from './errors.ts'
export { resolveWorkspace, scratchPath, type WorkspaceInput } from './resolve-workspace.ts'
export { makeScratch, retireScratch } from './scratch.ts'
