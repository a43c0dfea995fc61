import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type BatchRequest, type ReadDeps, readBatchFile } from '../../../src/cli/batch-file/index.ts'
import type { Fault } from '../../../src/kernel/config/index.ts'
import { YardError } from '../../../src/kernel/index.ts'

/** A folder with files in it and what a batch file there reads as. Removed by `using`. */
export interface BatchFolder extends Disposable {
  readonly dir: string
  put(path: string, text: string | Buffer): string
  /** Makes it a git repository that tracks what is in it now. */
  track(): void
  read(
    text: string,
    more?: Partial<BatchRequest> & Partial<ReadDeps> & { readonly stdinText?: string },
  ): ReturnType<typeof readBatchFile>
  /** `line: path says: fix` of each fault, in order; the file's name stands in front where it is another one. */
  faults(...given: Parameters<BatchFolder['read']>): Promise<readonly string[]>
}

const lanes = [
  { name: 'chat', uses: 'chat', ready: true, says: 'ready' },
  { name: 'command', uses: 'command', ready: true, says: 'ready' },
  { name: 'tests', uses: 'command', ready: true, says: 'ready' },
]

export function openBatchFolder(): BatchFolder {
  const dir = mkdtempSync(join(tmpdir(), 'yard-batch-'))
  const put = (path: string, text: string | Buffer) => {
    const file = join(dir, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }
  const read: BatchFolder['read'] = (text, { stdinText = '', ...more } = {}) => {
    put('batch.yaml', text)
    const request = { file: 'batch.yaml', board: undefined, key: undefined, slots: undefined, timeout: undefined }
    const rest = { set: [], matrix: [], mode: 'auto', redo: [] } as const
    const stdin = { readAll: async () => stdinText }
    return readBatchFile(
      { cwd: dir, env: { PATH: process.env.PATH }, stdin, lanes, boardLane: undefined, ...more },
      { ...request, ...rest, ...more },
    )
  }
  return {
    dir,
    put,
    read,
    track() {
      execFileSync('git', ['init', '-q'], { cwd: dir })
      execFileSync('git', ['add', '-A'], { cwd: dir })
    },
    async faults(...given) {
      try {
        await read(...given)
        return []
      } catch (fault) {
        if (!(fault instanceof YardError) || fault.code !== 'BATCH_FILE_INVALID') throw fault
        return (fault.values.faults as readonly Fault[]).map(formatFault)
      }
    },
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  }
}

function formatFault({ file, line, path, says, fix }: Fault): string {
  const where = file === 'batch.yaml' ? '' : `${file} `
  return `${where}${line ?? '-'}: ${path === '' ? '' : `${path} `}${says}: ${fix}`
}
