import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { gitBytes } from '../a-worktree.ts'

/** Mode and content by name; names and contents byte by byte (latin1). */
export type Files = ReadonlyMap<string, string>

/** What lies in a folder, without `.git` anywhere, by a walk of our own: git is not asked. */
export function readFolder(folder: string): Files {
  const files = new Map<string, string>()
  walk(Buffer.from(folder), Buffer.alloc(0), files)
  return files
}

function walk(folder: Buffer, under: Buffer, files: Map<string, string>): void {
  for (const entry of readdirSync(folder, { encoding: 'buffer' })) {
    if (entry.toString() === '.git') continue
    const path = Buffer.concat([folder, slash, entry])
    const name = under.length === 0 ? entry : Buffer.concat([under, slash, entry])
    const stat = lstatSync(path)
    if (stat.isDirectory()) walk(path, name, files)
    else if (stat.isSymbolicLink())
      files.set(name.toString('latin1'), `120000 ${readlinkSync(path, { encoding: 'buffer' }).toString('latin1')}`)
    else
      files.set(
        name.toString('latin1'),
        `${(stat.mode & 0o100) === 0 ? '100644' : '100755'} ${readFileSync(path, 'latin1')}`,
      )
  }
}

const slash = Buffer.from('/')

/** The same of a commit or a tree. */
export function readTree(repo: string, tree: string): Files {
  const listed = gitBytes(repo, ['ls-tree', '-r', '-z', tree]).toString('latin1').split('\0').filter(Boolean)
  const rows = listed.map((row) => /^(\d+) \w+ (\w+)\t(.*)$/s.exec(row)?.slice(1) ?? [])
  const input = rows.map(([, id]) => `${id}\n`).join('')
  const bytes = input === '' ? Buffer.alloc(0) : gitBytes(repo, ['cat-file', '--batch'], input)
  const files = new Map<string, string>()
  let at = 0
  for (const [mode = '', , name = ''] of rows) {
    const end = bytes.indexOf(10, at)
    const size = Number(bytes.toString('latin1', at, end).split(' ')[2])
    if (Number.isNaN(size)) {
      files.set(name, `${mode} missing`)
      at = end + 1
      continue
    }
    files.set(name, `${mode} ${bytes.toString('latin1', end + 1, end + 1 + size)}`)
    at = end + 1 + size + 1
  }
  return files
}
