import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import {
  configError,
  configName,
  defaultSlots,
  laneReadiness,
  parseConfig,
  readText,
  type YardConfig,
} from '../../kernel/config/index.ts'
import { nearestName } from '../../kernel/index.ts'
import { type CliDeps, type Commands, exitCode } from '../command.ts'
import { cliError } from '../errors.ts'
import {
  asksModel,
  type BatchTemplateName,
  batchTemplate,
  batchTemplateNames,
  isBatchTemplate,
  rehearsalScenario,
} from '../init/batch-templates.ts'
import { configTemplate, rehearsalPort } from '../init/config-template.ts'
import { type WrittenFile, writeNew, writeSchemas } from '../init/write-files.ts'
import { writeJson } from '../output.ts'

interface InitOptions {
  readonly batch?: string
}

/** `init`: looks what is there, writes yardmaster.yaml with its schemas here, asks nothing, overwrites nothing. */
export function registerInit(program: Command, commands: Commands): void {
  program
    .command('init')
    .option('--batch <what>', `also a batch file to start from: ${batchTemplateNames.join(', ')}`)
    .description('write a first yardmaster.yaml here, and a batch file with --batch')
    .action(commands.answer<InitOptions>((deps, { options }) => init(deps, options)))
}

const rehearsalFile = '.yardmaster/rehearsal.yaml'

async function init(deps: CliDeps, { batch }: InitOptions): Promise<number> {
  if (batch !== undefined && !isBatchTemplate(batch)) throw unknownTemplate(batch)
  const { cwd, env } = deps
  const withRehearsal = batch !== undefined && asksModel(batch)
  const slots = defaultSlots(availableParallelism())
  const files: WrittenFile[] = [
    writeNew(
      cwd,
      configName,
      configTemplate({ slots, baseUrl: given(env.OPENAI_BASE_URL), model: given(env.OPENAI_MODEL), withRehearsal }),
    ),
    ...writeSchemas(cwd),
  ]
  if (batch !== undefined) {
    files.push(writeNew(cwd, `${batch}.yaml`, batchTemplate(batch)))
    if (withRehearsal) files.push(writeNew(cwd, rehearsalFile, rehearsalScenario))
  }
  const config = readHere(deps)
  const lanes = await laneReadiness(config, { env })
  if (deps.flags.json) writeJson(deps, { files, lanes })
  else if (!deps.flags.quiet) deps.out.write(`${lines(files, { lanes, batch, config }).join('\n')}\n`)
  return exitCode.ok
}

const given = (text: string | undefined): string | undefined => (text === '' ? undefined : text)

function unknownTemplate(batch: string) {
  const near = nearestName(batch, batchTemplateNames)
  return cliError('CLI_BAD_USE', {
    says: `there is no batch "${batch}" to start from`,
    fix: near === undefined ? `one of: ${batchTemplateNames.join(', ')}` : `yardmaster init --batch ${near}`,
  })
}

/** The file as it stands here now, ours or the one that was there; its faults are told as everywhere. */
function readHere({ cwd, env }: Pick<CliDeps, 'cwd' | 'env'>): YardConfig {
  const file = join(cwd, configName)
  const read = readText(file)
  if (!read.ok) throw configError('CONFIG_NOT_READ', { file, why: read.why })
  const parsed = parseConfig({ text: read.text, file, cores: availableParallelism(), userHome: env.HOME })
  if (!parsed.ok) throw configError('CONFIG_INVALID', { file, faults: parsed.faults })
  return parsed.config
}

interface Found {
  readonly lanes: Awaited<ReturnType<typeof laneReadiness>>
  readonly batch: BatchTemplateName | undefined
  readonly config: YardConfig
}

function lines(files: readonly WrittenFile[], { lanes, batch, config }: Found): readonly string[] {
  const paths = (what: WrittenFile['what']) => files.filter((file) => file.what === what).map(({ path }) => path)
  const ready = lanes.filter((lane) => lane.ready).map(({ name }) => name)
  const missing = lanes.filter((lane) => !lane.ready).map(({ name, says }) => `${name} (${says})`)
  const kept = paths('kept')
  return [
    `Wrote ${paths('written').join(', ')}.${kept.length === 0 ? '' : ` There already, left as they are: ${kept.join(', ')}.`}`,
    `Lanes ready: ${ready.join(', ') || 'none'}.${missing.length === 0 ? '' : ` Missing: ${missing.join(', ')}.`}`,
    ...(batch === undefined ? [`Next: yardmaster up -d && ${firstCard(lanes)}`] : batchLines(batch, config)),
  ]
}

/** A first card that will run: a command where no lane is ready for a prompt. */
const firstCard = (lanes: Found['lanes']): string =>
  lanes.some(({ uses, ready }) => uses === 'chat' && ready)
    ? 'yardmaster add "…"'
    : 'yardmaster add "say hello" -- echo hello'

function batchLines(batch: BatchTemplateName, { lanes, accounts }: YardConfig): readonly string[] {
  if (!asksModel(batch)) return [`Next: yardmaster run ${batch}.yaml`]
  const lacking = [
    ...(accounts.rehearsal === undefined ? [`below accounts:  ${rehearsalParts.account}`] : []),
    ...(lanes.rehearsal === undefined ? [`below lanes:     ${rehearsalParts.lane}`] : []),
  ]
  return [
    ...(lacking.length === 0 ? [] : [`Add to ${configName}, which was there already:`]),
    ...lacking.map((part) => `  ${part}`),
    `Next: yardmaster dev rehearsal ${rehearsalFile} --port ${rehearsalPort}   (in another terminal: it plays the model)`,
    `      yardmaster run ${batch}.yaml`,
  ]
}

/** A file that is there has these maps mostly, and a key that stands twice is refused. */
const rehearsalParts = {
  account: `rehearsal: { base_url: "http://127.0.0.1:${rehearsalPort}/v1", key: none }`,
  lane: 'rehearsal: { uses: chat, account: rehearsal, model: rehearsal }',
}
