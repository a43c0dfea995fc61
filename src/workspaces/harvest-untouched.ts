import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { WorktreeGit } from './harvest-git.ts'
import { below, splitNul } from './patch-path.ts'

/** What an index held of a path: the id of its content; undefined where it had none. */
export type ContentOf = (path: Buffer) => string | undefined

/**
 * Files that `git add` has called changed although their bytes are those of the commit: a rule that was written after them (line
 * ends, a filter) would store them otherwise. The attempt has not touched them. What it has put into the index so itself is not
 * among them: `before` is how that was found. Answers the entries that the commit has, as `update-index -z --index-info` reads them.
 */
export async function findUntouched(
  git: WorktreeGit,
  { commit, before }: { readonly commit: string; readonly before: ContentOf | undefined },
): Promise<readonly Buffer[]> {
  const args = ['diff-index', '--cached', '--raw', '-z', '--no-renames', '--diff-filter=M', commit]
  const answer = await git.try(args, { maxBytes: mostBytes })
  const fields = answer.ok ? splitNul(answer.bytes) : [] // an index that git cannot read: whoever writes the tree meets that
  const entries: Buffer[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    // `:100644 100644 <content> <content> M`, then the path.
    const [mode = '', after, content = ''] = (fields[at] ?? Buffer.alloc(0)).toString('latin1').slice(1).split(' ')
    const path = fields[at + 1] ?? Buffer.alloc(0)
    if (mode !== after || !mode.startsWith('100')) continue
    if (before !== undefined && before(path) !== content) continue
    if (await holdsBytes(below(git.path, path), content)) {
      entries.push(Buffer.concat([Buffer.from(`${mode} ${content}\t`), path, Buffer.from([0])]))
    }
  }
  return entries
}

const mostBytes = 512 * 1024 * 1024

/** Whether a file has the very bytes of a content that git has stored, past every rule and filter. */
export async function holdsBytes(file: Buffer, content: string): Promise<boolean> {
  const opened = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  )
  if (opened === undefined) return false // gone, or not to be read: then it is not as it was
  try {
    const stat = await opened.stat()
    if (!stat.isFile()) return false
    const hash = createHash(content.length === 64 ? 'sha256' : 'sha1').update(`blob ${stat.size}\0`)
    for await (const chunk of opened.createReadStream({ autoClose: false })) hash.update(chunk)
    return hash.digest('hex') === content
  } catch {
    return false // it cannot be read to its end
  } finally {
    await opened.close()
  }
}
