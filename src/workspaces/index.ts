export { workspacesError } from './errors.ts'
export {
  type AskedWorkspace,
  type OwnFolders,
  type ResolvedWorkspace,
  realFolder,
  resolveWorkspace,
  scratchPath,
  type WorkspaceInput,
} from './resolve-workspace.ts'
export { makeScratch } from './scratch.ts'
