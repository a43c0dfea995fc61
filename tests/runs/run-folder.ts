import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** An empty folder, gone after the test. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'yard-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A file of this content in a folder of its own. */
export function makeFile(content: string | Buffer, name = 'output.log'): string {
  const path = join(makeFolder(), name)
  writeFileSync(path, content)
  return path
}
