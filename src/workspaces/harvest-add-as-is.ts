import { constants, lstatSync, readlinkSync } from 'node:fs'
import { faultOfGit, isFull } from './harvest-fault.ts'
import type { WorktreeGit } from './harvest-git.ts'
import { below, joinNul, quotePath, splitNul, textOfPath } from './patch-path.ts'

/**
 * The last resort of `git add`: every changed file is stored byte by byte, past attributes, encodings and filters. Answers
 * a sentence for each that could not be read.
 */
export async function addAsIs(git: WorktreeGit): Promise<readonly string[]> {
  const { bytes } = await git.run(['ls-files', '-z', '-m', '-d', '-o', '--exclude-standard'], {
    maxBytes: mostBytes,
  })
  const entries: Buffer[] = []
  const gone: Buffer[] = []
  const notes: string[] = []
  const files: { readonly path: Buffer; readonly mode: string }[] = []
  for (const path of splitNul(bytes)) {
    const stat = lstatSync(below(git.path, path), { throwIfNoEntry: false })
    if (stat === undefined) gone.push(path)
    else if (stat.isSymbolicLink()) entries.push(entryOf('120000', await storeLink(git, path), path))
    else if (stat.isFile()) files.push({ path, mode: (stat.mode & constants.S_IXUSR) === 0 ? '100644' : '100755' })
    // Folders are repositories of their own, looked at apart; pipes and sockets have no content.
  }
  for (let at = 0; at < files.length; at += atOnce) {
    const some = files.slice(at, at + atOnce)
    const ids = await storeFiles(
      git,
      some.map(({ path }) => path),
    )
    for (const [i, { path, mode }] of some.entries()) {
      const id = ids[i]
      if (id === undefined || id === null)
        notes.push(`could not be read, and is not recorded (it stays in the worktree): ${textOfPath(path)}`)
      else entries.push(entryOf(mode, id, path))
    }
  }
  if (gone.length > 0) await git.run(['update-index', '--force-remove', '-z', '--stdin'], { input: joinNul(gone) })
  await git.run(['update-index', '--add', '--replace', '-z', '--index-info'], { input: joinNul(entries) })
  return notes
}

const mostBytes = 512 * 1024 * 1024
const atOnce = 500

/** Contents as stored, in the order of the paths; one by one where one of them cannot be read. */
async function storeFiles(git: WorktreeGit, paths: readonly Buffer[]): Promise<readonly (string | null)[]> {
  const input = `${paths.map(quotePath).join('\n')}\n`
  const config = ['core.bigFileThreshold=64m']
  const answer = await git.try(['hash-object', '-w', '--no-filters', '--stdin-paths'], { input, config })
  if (answer.ok) return answer.stdout.trim().split('\n')
  if (isFull(answer) || answer.exitCode === null) throw faultOfGit('hash-object', answer)
  if (paths.length === 1) return [null]
  const half = Math.ceil(paths.length / 2)
  return [...(await storeFiles(git, paths.slice(0, half))), ...(await storeFiles(git, paths.slice(half)))]
}

async function storeLink(git: WorktreeGit, path: Buffer): Promise<string> {
  const input = readlinkSync(below(git.path, path), { encoding: 'buffer' })
  return (await git.run(['hash-object', '-w', '--stdin'], { input })).stdout.trim()
}

const entryOf = (mode: string, id: string, path: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${mode} ${id}\t`), path])
