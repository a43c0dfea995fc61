import type { HealthView } from '../../api/contract/index.ts'
import { checkLanes } from '../../dispatcher/index.ts'
import { readKey, type YardConfig } from '../../kernel/config/index.ts'
import { YardError } from '../../kernel/index.ts'
import type { HubOptions } from '../hub-options.ts'
import { programFolder } from '../yard-facts.ts'
import { bad, type Check, ok, warn } from './check.ts'

export function checkConfig(config: YardConfig | YardError, health: HealthView | undefined): readonly Check[] {
  if (config instanceof YardError) return [bad('config', config.message, config.fix)]
  const { file, lanes, accounts } = config
  const has = `lanes ${Object.keys(lanes).join(', ')}; accounts ${Object.keys(accounts).join(', ') || 'none'}`
  const says = file === null ? `no yardmaster.yaml found from here; built in: ${has}` : `${file}: ${has}`
  if (health === undefined || health.hub === null || health.config === file) return [ok('config', says)]
  const fix = 'cards are worked by what the hub reads; to have it read this one: yardmaster up -d --replace from here'
  return [warn('config', `${says}; the hub reads ${health.config ?? 'none'}`, fix)]
}

/** As the hub found them where one is up: it is the one that starts workers. */
export async function checkLaneReadiness(
  config: YardConfig,
  health: HealthView | undefined,
  { env, self }: Pick<HubOptions, 'env' | 'self'>,
): Promise<readonly Check[]> {
  const lanes = health?.lanes ?? (await checkLanes({ config, env, self, program: programFolder(self) }, () => {}))
  const ready = lanes.filter((lane) => lane.ready).map(({ name }) => name)
  // What is not set up is known of the file that is read here, and the hub may have read another.
  const isOurs = health === undefined || health.config === config.file
  const isUnwanted = (name: string) => isOurs && isUnused(config, name)
  const notReady = lanes.filter((lane) => !lane.ready)
  const unused = notReady.filter(({ name }) => isUnwanted(name)).map(({ name, says }) => `${name} (${says})`)
  const missing = notReady.filter(({ name }) => !isUnwanted(name))
  const rest = unused.length === 0 ? '' : `. Not set up: ${unused.join(', ')}`
  const fix = 'only tasks of that lane need it; yardmaster why T says so, too'
  return [
    ok('lanes', `ready: ${ready.join(', ') || 'none'}${rest}`),
    ...missing.map(({ name, says }) => warn('lanes', `${name}: ${says}`, fix)),
  ]
}

/** The lane of our own agent is always there; without a model nobody has asked for it. */
const isUnused = ({ lanes }: YardConfig, name: string): boolean =>
  lanes[name]?.uses === 'chat' && lanes[name]?.model === null

/** Whether the key of each account that a lane uses is there; its value is read and forgotten. */
export async function checkKeys(config: YardConfig, { env }: Pick<HubOptions, 'env'>): Promise<readonly Check[]> {
  const used = Object.entries(config.lanes).flatMap(([name, { account }]) => (isUnused(config, name) ? [] : [account]))
  const named = Object.entries(config.accounts).filter(([name, { key }]) => key !== 'none' && used.includes(name))
  return await Promise.all(
    named.map(async ([name, { key }]) => {
      const secret = await readKey(key, { env })
      if (secret.ok) return ok('keys', `account ${name}: its key is there`)
      return warn(
        'keys',
        `account ${name}: ${secret.says}`,
        `mend accounts.${name}.key in yardmaster.yaml, or what it names`,
      )
    }),
  )
}
