import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clock, makeFolder, systemClock } from '../../../../src/kernel/index.ts'
import { readStat } from '../../../../src/kernel/process/index.ts'
import { runTool } from '../../../../src/worker/tools/run-tool.ts'
import { type CommandDesk, createCommandDesk } from '../../../../src/worker/tools/terminal/command-desk.ts'
import type { CommandDeskDeps } from '../../../../src/worker/tools/terminal/desk-deps.ts'
import { createProcessTool } from '../../../../src/worker/tools/terminal/process.ts'
import { createTerminalTool } from '../../../../src/worker/tools/terminal/terminal.ts'
import type { ToolResult } from '../../../../src/worker/tools/tool.ts'

/** A machine may be slow: what gives up after a moment here waits twenty times as long, and looks as often. */
export const unhurried: Clock = {
  ...systemClock,
  monotonicMs: () => systemClock.monotonicMs() / 20,
  sleep: (ms, signal) => systemClock.sleep(ms < 200 ? ms : ms * 20, signal),
}

/** A desk with a workspace of its own, and the tools that meet there. Nothing of it is left at the end. */
export class TestDesk implements AsyncDisposable {
  readonly folder: string
  readonly workspace: string
  readonly outputs: string
  readonly logged: string[] = []
  readonly stop = new AbortController()
  attention = new AbortController()
  readonly desk: CommandDesk

  /** `base`: where its folder lies; a sandbox shows another temporary folder than the machine has. */
  constructor(more: Partial<CommandDeskDeps> = {}, base = tmpdir()) {
    makeFolder(base)
    this.folder = realpathSync(mkdtempSync(join(base, 'yardmaster-desk-')))
    this.workspace = join(this.folder, 'workspace')
    this.outputs = join(this.folder, 'outputs')
    mkdirSync(this.workspace)
    this.desk = createCommandDesk({
      clock: systemClock,
      workspace: this.workspace,
      env: { PATH: process.env.PATH },
      boardWorker: false,
      knownSecrets: [],
      log: (line) => void this.logged.push(line),
      commandTimeoutMs: 60_000,
      spillFolder: this.outputs,
      spilled: 'removed',
      heartbeatMs: 0,
      ...more,
    })
  }

  async use(name: 'terminal' | 'process', args: object): Promise<ToolResult> {
    const tools = [createTerminalTool(this.desk), createProcessTool(this.desk)]
    const call = { id: 'c', name, argumentsText: JSON.stringify(args) }
    return await runTool(tools, call, { signal: this.stop.signal, attention: this.attention.signal })
  }

  /** What the model reads of a command. */
  async terminal(command: string, more: object = {}): Promise<string> {
    return (await this.use('terminal', { command, ...more })).text
  }

  async process(action: string, more: object = {}): Promise<string> {
    return (await this.use('process', { action, ...more })).text
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.desk.closeAll()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

export const isAlive = (pid: number): boolean => {
  const stat = readStat(pid)
  return typeof stat !== 'string' && stat.state !== 'Z'
}
