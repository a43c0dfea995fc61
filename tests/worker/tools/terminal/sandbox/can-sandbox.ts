import { execFileSync } from 'node:child_process'
import { findProgram } from '../../../../../src/kernel/process/index.ts'

/** Whether this machine lets anybody make a sandbox. What follows holds on one that does not, too: then it is refused. */
export const canSandbox = (() => {
  const found = findProgram({ name: 'bwrap', path: process.env.PATH ?? '', cwd: '/' })
  if (found.kind !== 'found') return false
  try {
    execFileSync(found.path, ['--unshare-all', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', 'true'], {
      stdio: 'ignore',
    })
    return true
  } catch {
    return false
  }
})()
