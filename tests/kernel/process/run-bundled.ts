import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { onTestFinished } from 'vitest'
import { bundleFolder } from '../../remove-bundles.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const bundled = new Map<string, Promise<string>>()

/**
 * A fixture written in TypeScript as a program that Node 20 can run, for what needs a process of its own. It lies under
 * node_modules, so that native packages are found from there; made once for all files of tests that one process runs,
 * and removed at the end of the run.
 */
export function bundleFixture(name: string): Promise<string> {
  const made = bundled.get(name) ?? bundle(name)
  bundled.set(name, made)
  return made
}

async function bundle(name: string): Promise<string> {
  const folder = bundleFolder(process.ppid)
  mkdirSync(folder, { recursive: true })
  const outfile = `${folder}/${process.pid}-${name}.mjs`
  await build({
    entryPoints: [`${root}tests/fixtures/process/${name}`],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    external: ['koffi', 'better-sqlite3'],
    define: { __CRASH_POINTS__: 'true' },
    banner: { js: "import { createRequire as made } from 'node:module'; const require = made(import.meta.url);" },
    logLevel: 'error',
  })
  return outfile
}

/** A program with text on its stdin; killed after the test if it still runs. */
export function startProgram(argv: readonly string[], input: string): ChildProcess {
  const [program = '', ...rest] = argv
  const child = spawn(program, rest, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin?.end(input)
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return child
}

/** The first line that a program prints. */
export async function readFirstLine(child: ChildProcess): Promise<string> {
  let text = ''
  for await (const piece of child.stdout ?? []) {
    text += String(piece)
    if (text.includes('\n')) return text.slice(0, text.indexOf('\n'))
  }
  throw new Error(`it ended without a line; it had said ${JSON.stringify(text)}`)
}
