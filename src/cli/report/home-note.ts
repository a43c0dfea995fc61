import { shellWord } from '../../kernel/index.ts'
import type { Report } from './build-report.ts'

/**
 * What stands below the report of a batch that has a home of its own: its commands do nothing in another one, and no
 * hub is up there.
 */
export function homeNote({ batch, counts }: Report, home: string): string {
  const told = `This batch has a home of its own, which the other verbs must be told: \`export YARDMASTER_HOME=${shellWord(home)}\``
  if (counts.failed === 0 || batch.file === null) return `\n${told}\n`
  return `\n${told}  \nWhat failed, again: \`yardmaster run ${shellWord(batch.file)} --failed\`\n`
}
