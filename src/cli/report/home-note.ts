import { shellWord } from '../../kernel/index.ts'
import type { Report } from './build-report.ts'

/**
 * What stands below the report of a batch that has a home of its own: its commands do nothing in another one, and no
 * hub is up there.
 */
export function homeNote({ batch, counts }: Report, home: string): string {
  const told = `This batch has a home of its own, which the other verbs must be told: \`export YARDMASTER_HOME=${shellWord(home)}\``
  if (batch.file === null) return `\n${told}\n`
  const line = `yardmaster run ${shellWord(batch.file)}`
  if (batch.verdict === null) return `\n${told}  \nWhere it was cut off it goes on: \`${line}\`\n`
  return counts.failed === 0 ? `\n${told}\n` : `\n${told}  \nWhat failed, again: \`${line} --failed\`\n`
}
