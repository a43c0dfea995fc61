export { type PatchHeader, parsePatchHeader, renderPatchHeader } from './patch-header.ts'
export { isPatchFileName, patchFileName } from './patch-name.ts'
