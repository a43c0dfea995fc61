import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LineAnswer, type LineOptions, runLine } from '../run-line.ts'

/** A folder with files, a home that nobody else uses, and command lines typed in it. */
export interface Place extends AsyncDisposable {
  readonly dir: string
  readonly home: string
  put(path: string, text: string): string
  read(path: string): string
  has(path: string): boolean
  /** Resolves when the file is there. */
  appears(path: string): Promise<void>
  type(argv: readonly string[], more?: Partial<LineOptions>): Promise<LineAnswer>
}

export function openPlace(): Place {
  const root = mkdtempSync(join(tmpdir(), 'yard-run-'))
  const dir = join(root, 'work')
  const home = join(root, 'home')
  mkdirSync(dir)
  return {
    dir,
    home,
    put(path, text) {
      mkdirSync(join(dir, path, '..'), { recursive: true })
      writeFileSync(join(dir, path), text)
      return join(dir, path)
    },
    read: (path) => readFileSync(join(dir, path), 'utf8'),
    has: (path) => existsSync(join(dir, path)),
    async appears(path) {
      const changes = watch(dir)
      try {
        while (!existsSync(join(dir, path))) await once(changes, 'change')
      } finally {
        changes.close()
      }
    },
    type: (argv, more = {}) =>
      runLine(argv, {
        home,
        cwd: dir,
        ...more,
        env: { PATH: process.env.PATH, YARDMASTER_RETRY_WAIT: '50ms-200ms', ...more.env },
      }),
    async [Symbol.asyncDispose]() {
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/** Resolves when the text has been said; hand `heard` to the line. */
export function saying(text: string): { readonly said: Promise<void>; readonly heard: (piece: string) => void } {
  let all = ''
  let resolve = () => {}
  const said = new Promise<void>((done) => {
    resolve = done
  })
  return {
    said,
    heard(piece) {
      all += piece
      if (all.includes(text)) resolve()
    },
  }
}
