import type { Finding } from './finding.ts'

/** What the thread is given. Globs come as the source of an expression. */
export interface ThreadTask {
  readonly root: string
  /** From `root`; undefined: all below it are found by walking. */
  readonly paths: readonly string[] | undefined
  readonly glob: string | undefined
  readonly globOn: 'name' | 'path'
  readonly pattern: string | undefined
  readonly flags: string
  readonly most: number
  readonly largestBytes: number
  readonly longestMargin: number
}

/** The text is what stands around the column of its line, not yet cut for people. */
export type ThreadFinding = Finding & { readonly column?: number }

/** What it says: findings as they come, and at the end that this was all. */
export type ThreadSays =
  | { readonly kind: 'found'; readonly findings: readonly ThreadFinding[] }
  | { readonly kind: 'end'; readonly end: 'all' | 'enough'; readonly skipped: number }

/**
 * The text of a thread that searches: an expression of a model may take for ever, and only a thread can be cut off in the
 * midst of one. It is handed over as text, so the function uses nothing from outside itself.
 */
export const searchThreadText = (): string => `(${searchInThread})()`

function searchInThread(): void {
  const fs = process.getBuiltinModule('node:fs')
  const { basename, dirname, join } = process.getBuiltinModule('node:path')
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads')
  const task = workerData as ThreadTask
  const glob = task.glob === undefined ? undefined : new RegExp(task.glob, 's')
  const pattern = task.pattern === undefined ? undefined : new RegExp(task.pattern, task.flags)
  let count = 0
  let skipped = 0
  const say = (said: ThreadSays) => parentPort?.postMessage(said)

  const lookInto = (path: string): void => {
    const text = readText(path)
    if (text === undefined || pattern === undefined) return
    const findings: ThreadFinding[] = []
    let line = 0
    for (let at = 0; at <= text.length && count + findings.length < task.most; line += 1) {
      const found = text.indexOf('\n', at)
      const end = found < 0 ? text.length : found
      const row = text.slice(at, end > at && text[end - 1] === '\r' ? end - 1 : end)
      at = end + 1
      if (found < 0 && row === '') break
      const match = pattern.exec(row)
      if (match !== null) findings.push({ path, line: line + 1, ...around(row, match.index) })
    }
    count += findings.length
    if (findings.length > 0) say({ kind: 'found', findings })
  }
  const around = (row: string, at: number): { text: string; column: number } => {
    const from = Math.max(0, at - task.longestMargin)
    return { text: row.slice(from, at + task.longestMargin), column: at - from }
  }
  const readText = (path: string): string | undefined => {
    let fd: number | undefined
    try {
      fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
      if (!isStillAt(fd, path)) return undefined // a folder on the way was swapped for a link
      const { size } = fs.fstatSync(fd)
      if (size > task.largestBytes) {
        skipped += 1
        return undefined
      }
      const bytes = Buffer.alloc(size) // not more, however fast it grows
      let filled = 0
      for (let read = -1; filled < size && read !== 0; filled += read) {
        read = fs.readSync(fd, bytes, filled, size - filled, filled)
        if (bytes.subarray(0, Math.min(filled + read, 8_192)).includes(0)) return undefined
      }
      return bytes.toString('utf8', 0, filled)
    } catch {
      return undefined // gone, or not for us
    } finally {
      if (fd !== undefined) fs.closeSync(fd)
    }
  }
  const isStillAt = (fd: number, path: string): boolean => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${fd}`) === path
    } catch {
      return true // no /proc here
    }
  }
  const fits = (shown: string): boolean =>
    glob === undefined || glob.test(task.globOn === 'name' ? basename(shown) : shown)
  const take = (path: string): void => {
    if (pattern !== undefined) lookInto(path)
    else {
      count += 1
      say({ kind: 'found', findings: [{ path }] })
    }
  }
  const visit = (path: string, shown: string): void => {
    const stat = fs.lstatSync(path, { throwIfNoEntry: false })
    if (stat === undefined || count >= task.most) return
    if (stat.isDirectory()) walk(path, shown)
    else if (stat.isFile() && fits(shown)) take(path) // links lead to what is found anyway, or out
  }
  const walk = (folder: string, shown: string): void => {
    let names: string[] = []
    try {
      const fd = fs.openSync(folder, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY | fs.constants.O_NOFOLLOW)
      try {
        if (isStillAt(fd, folder)) names = fs.readdirSync(folder).sort()
        if (!isStillAt(fd, folder)) return
      } finally {
        fs.closeSync(fd)
      }
    } catch {
      return // closed to us, or gone
    }
    for (const name of names) {
      if (name === '.git' || name === 'node_modules') continue
      visit(join(folder, name), shown === '' ? name : `${shown}/${name}`)
    }
  }

  // A folder that git knows may have become a link meanwhile, which leads out.
  const here = new Map<string, boolean>()
  const isHere = (folder: string): boolean => {
    const known = here.get(folder) ?? realPathOf(folder) === folder
    here.set(folder, known)
    return known
  }
  const realPathOf = (folder: string): string | undefined => {
    try {
      return fs.realpathSync(folder)
    } catch {
      return undefined // gone
    }
  }

  if (task.paths === undefined) visit(task.root, '')
  for (const path of (task.paths ?? []).toSorted()) {
    const whole = join(task.root, path)
    if (isHere(dirname(whole))) visit(whole, path)
  }
  say({ kind: 'end', end: count >= task.most ? 'enough' : 'all', skipped })
}
