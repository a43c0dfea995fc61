import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'
import { onTestFinished } from 'vitest'
import { bundleFolder } from '../remove-bundles.ts'

const root = join(import.meta.dirname, '..', '..')
/** Each process that runs tests has its own: nobody starts one that another is just writing. */
const program = join(bundleFolder(process.ppid), `${process.pid}-store-user.mjs`)
let built: Promise<unknown> | undefined

/** Bundles the program that uses a store, once for all files of tests that one process runs. */
export async function buildStoreUser(): Promise<void> {
  built ??= build({
    absWorkingDir: root,
    entryPoints: [join(import.meta.dirname, 'fixtures', 'store-user.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['better-sqlite3', 'koffi'],
    loader: { '.sql': 'text' },
    define: { __CRASH_POINTS__: 'true', __VERSION__: '"test"' },
    banner: { js: "import { createRequire as made } from 'node:module'; const require = made(import.meta.url);" },
    logLevel: 'error',
  })
  await built
}

export interface StoreUser {
  readonly process: ChildProcess
  /** The next line that it says. */
  readLine(): Promise<string>
  /** Lets it begin, or hands it one more line. */
  tell(line: string): void
}

/** Starts one that waits for its first line; killed at the end of the test if it is still there. */
export async function startStoreUser(role: string, path: string, asked: object = {}): Promise<StoreUser> {
  const child = spawn(process.execPath, [program, role, path, JSON.stringify(asked)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const readLine = async (): Promise<string> => {
    const line = await lines.next()
    if (line.done === true) throw new Error(`the ${role} program ended without a word`)
    return line.value
  }
  await readLine()
  return { process: child, readLine, tell: (line) => void child.stdin.write(`${line}\n`) }
}

/** Lets them all begin at one moment, and answers what each was answered. */
export async function runTogether(users: readonly StoreUser[]): Promise<readonly unknown[]> {
  for (const user of users) user.tell('go')
  return await Promise.all(users.map(async (user) => JSON.parse(await user.readLine())))
}
