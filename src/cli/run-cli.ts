import { isAbsolute, resolve } from 'node:path'
import { CommanderError } from 'commander'
import { type ByteOutput, type CliDeps, type CliFlags, exitCode } from './command.ts'
import { harmlessOutput, readGithubRunner } from './github/index.ts'
import { openYardOf } from './open-yard.ts'
import { printError } from './print-error.ts'
import { buildProgram } from './program.ts'
import { verbs } from './verbs.ts'

/** What the process hands in; the rest of `CliDeps` follows from the line. */
export type CliBase = Omit<CliDeps, 'flags' | 'loadConfig' | 'openYard' | 'out' | 'bytes' | 'github'> & {
  readonly out: ByteOutput
  /** Streams that end in a file: no runner reads them. */
  readonly intoFile?: { readonly out: boolean; readonly err: boolean }
  /** `yardmaster.yaml` of that file, or the one found from here; parsed, all faults at once. */
  readonly loadConfig: (file: string | undefined) => Promise<Awaited<ReturnType<CliDeps['loadConfig']>>>
  readonly paintErrors: CliDeps['paint']
}

/** One command line, from the arguments after `yardmaster` to the exit code. Prints its own errors; throws nothing. */
export async function runCli(given: CliBase, argv: readonly string[]): Promise<number> {
  let code: number = exitCode.ok
  const base = underGithub(given)
  const program = buildProgram({
    verbs,
    version: base.version,
    out: base.out,
    paint: base.paint,
    argv,
    run: async (flags, body) => {
      code = await body(depsOf(base, flags))
    },
  })
  try {
    if (argv.length === 0) {
      base.err.write(program.helpInformation())
      return exitCode.badInput
    }
    await program.parseAsync([...argv], { from: 'user' })
    return code
  } catch (fault) {
    if (fault instanceof CommanderError) return fault.exitCode // help and version, printed already
    return printError({ ...base, paint: base.paintErrors, json: asksForJson(argv) }, fault)
  }
}

/** Under a GitHub runner what we print is made harmless: tasks print what they like, and the runner takes commands from it. */
function underGithub(base: CliBase): Omit<CliBase, 'out'> & Pick<CliDeps, 'out' | 'bytes' | 'github'> {
  const { out, err, env, intoFile = { out: false, err: false } } = base
  const runner = readGithubRunner(env)
  if (runner === undefined) return { ...base, bytes: out, github: undefined }
  return {
    ...base,
    out: intoFile.out ? out : harmlessOutput(out),
    err: intoFile.err ? err : harmlessOutput(err),
    bytes: out,
    github: { runner, commands: err },
  }
}

function depsOf(base: ReturnType<typeof underGithub>, typed: CliFlags): CliDeps {
  const flags = { ...typed, config: typed.config === undefined ? undefined : fromHere(base.cwd, typed.config) }
  let config: ReturnType<CliDeps['loadConfig']> | undefined
  const loadConfig = () => {
    config ??= base.loadConfig(flags.config)
    return config
  }
  const deps = { ...base, flags, loadConfig }
  return { ...deps, openYard: openYardOf(deps) }
}

const fromHere = (cwd: string, path: string): string => (isAbsolute(path) ? path : resolve(cwd, path))

/** The line may be too wrong to be parsed; whoever asked for JSON still gets it. */
function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return argv.slice(0, end === -1 ? undefined : end).includes('--json')
}
