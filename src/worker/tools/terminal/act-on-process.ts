import { type Clock, suggestName } from '../../../kernel/index.ts'
import type { ToolArguments, ToolOrder, ToolResult } from '../tool.ts'
import type { BackgroundCommand, BackgroundCommands } from './background-commands.ts'
import { describeEnd, footer, oneLine, withTime } from './describe-command.ts'

export interface ProcessDeps {
  readonly clock: Clock
  readonly background: BackgroundCommands
}

const waitByDefaultMs = 60_000
/** Who waits shorter and asks again only asks again. */
const leastPatientMs = 30_000
const logBytesByDefault = 10_000

/** One call of the tool `process`: it reaches the worker's own background commands and nothing else. */
export async function actOnProcess(deps: ProcessDeps, args: ToolArguments, order: ToolOrder): Promise<ToolResult> {
  const action = String(args.action)
  if (action === 'list') return list(deps.background)
  if (args.id === undefined) return failed(action, 'id is missing; action list names them')
  const found = deps.background.find(String(args.id))
  if (found === undefined) return failed(action, noSuch(deps.background, String(args.id)))
  switch (action) {
    case 'wait': {
      const ms = args.timeout_seconds === undefined ? waitByDefaultMs : Number(args.timeout_seconds) * 1_000
      const waited = (await waitFor(deps.clock, found, ms, order)) === 'to_the_end' && ms >= leastPatientMs
      return { ...look(found, 'wait'), ...(waited ? { waited } : {}) }
    }
    case 'kill':
      return await kill(found)
    case 'log':
      return log(found, args)
    default:
      return look(found, 'poll')
  }
}

function list(background: BackgroundCommands): ToolResult {
  const rows = background.all().map(({ id, running }) => {
    const state = running.end === undefined ? 'runs' : describeEnd(running.end)
    return `${id}: ${withTime(state, running.elapsedMs)}, ${running.output.rawBytes} bytes: ${oneLine(running.command)}`
  })
  return {
    text: rows.length === 0 ? 'nothing was sent into the background' : rows.join('\n'),
    summary: `process list: ${rows.length}`,
    outcome: 'ok',
  }
}

/** What came since the last look. That it was looked at is what `moved` is about, not how the command fares. */
function look({ id, running }: BackgroundCommand, action: string): ToolResult {
  const { output, end, elapsedMs } = running
  const moved = output.hasNews
  const text = moved ? output.sinceLook() : '[no new output]'
  const says = withTime(end === undefined ? 'runs' : describeEnd(end), elapsedMs)
  return {
    text: `${text}${footer([`${id}: ${says}`, moved ? output.describeSpill() : undefined])}`,
    summary: `process ${action} ${id}: ${says}, ${output.rawBytes} bytes`,
    outcome: 'ok',
    moved,
  }
}

function log({ id, running }: BackgroundCommand, args: ToolArguments): ToolResult {
  const { output } = running
  const bytes = args.bytes === undefined ? logBytesByDefault : Number(args.bytes)
  const { text, from, to } = output.stretch({
    from: args.offset === undefined ? undefined : Number(args.offset),
    bytes,
  })
  const rest = to < output.shownBytes ? `; go on with offset ${to}` : ''
  const says =
    from === to
      ? `nothing there; ${id} has ${output.shownBytes} bytes`
      : `bytes ${from} to ${to} of ${output.shownBytes}${rest}`
  return {
    text: `${text}${footer([says, output.describeSpill()])}`,
    summary: `process log ${id}: ${says}`,
    outcome: 'ok',
    moved: running.output.hasNews,
  }
}

async function kill(found: BackgroundCommand): Promise<ToolResult> {
  const { running } = found
  if (running.end !== undefined) return look(found, 'kill')
  running.cut('killed')
  await running.ended
  return look(found, 'kill')
}

async function waitFor(
  clock: Clock,
  { running }: BackgroundCommand,
  ms: number,
  order: ToolOrder,
): Promise<'to_the_end' | 'cut_short'> {
  const over = new AbortController()
  const until = AbortSignal.any([over.signal, order.signal, order.attention])
  const waited = clock.sleep(ms, until).then(
    () => 'to_the_end' as const,
    () => 'cut_short' as const, // it has ended, or somebody wants to go on
  )
  const how = await Promise.race([running.ended.then(() => 'cut_short' as const), waited])
  over.abort()
  return how
}

function noSuch(background: BackgroundCommands, id: string): string {
  const ids = background.all().map((one) => one.id)
  return ids.length === 0
    ? `there is no ${id}: nothing was sent into the background`
    : `there is no ${id}: ${suggestName(id, ids)}`
}

const failed = (action: string, says: string): ToolResult => ({
  text: `error: ${says}`,
  summary: `process ${action}: ${says}`,
  outcome: 'failed',
})
