import { existsSync } from 'node:fs'
import type { HealthView } from '../../api/contract/index.ts'
import { emptyConfig, type YardConfig } from '../../kernel/config/index.ts'
import { realPath, YardError } from '../../kernel/index.ts'
import { findHub } from '../find-hub.ts'
import { composeHome } from '../home.ts'
import type { FoundHub, HubOptions } from '../hub-options.ts'
import { bad, type Check } from './check.ts'
import { checkClock } from './check-clock.ts'
import { checkConfig, checkKeys, checkLaneReadiness } from './check-config.ts'
import { checkDisk, checkHome, checkMachine } from './check-home.ts'
import { checkHub, checkLock, checkStops } from './check-hub.ts'
import { checkProcesses, checkWorkers } from './check-processes.ts'
import { checkGit, checkNode } from './check-program.ts'
import { checkService } from './check-service.ts'
import { checkStoreFile } from './check-store.ts'

export interface ExamineInput extends Pick<HubOptions, 'env' | 'self' | 'version'> {
  /** It may not exist yet; nothing is made in it. */
  readonly home: string
  /** What loading it threw, where it does not load. */
  readonly config: YardConfig | YardError
  /** `$XDG_CONFIG_HOME`, else `~/.config`. */
  readonly configHome: string
}

/**
 * Looks at everything that a yard stands on, with or without a hub, and changes nothing (a lock that is free is taken
 * for a moment). A look that fails is a finding of its own.
 */
export async function examineYard(input: ExamineInput): Promise<readonly Check[]> {
  const home = composeHome(realPath(input.home))
  const isMade = existsSync(home.path)
  const config = input.config instanceof YardError ? emptyConfig(1) : input.config
  const { hub, health } = isMade ? await lookForHub(home.path) : noHub
  const found = health === undefined || hub instanceof YardError ? undefined : hub
  type Look = () => readonly Check[] | Promise<readonly Check[]>
  const looks: Readonly<Record<string, Look>> = {
    program: () => checkNode(input.version),
    git: () => checkGit(input, '/'),
    home: () => checkHome(home),
    machine: () => checkMachine(home),
    disk: () => (isMade ? checkDisk(home, config, health) : []),
    store: () => (isMade ? checkStoreFile(home, found) : []),
    lock: () => (isMade ? checkLock(home, found) : []),
    hub: () => [...checkHub({ hub, health, version: input.version }), ...checkStops(health)],
    config: () => checkConfig(input.config, health),
    lanes: () => checkLaneReadiness(config, health, input),
    keys: () => checkKeys(config, input),
    workers: () => checkWorkers(home, isMade),
    processes: () => checkProcesses(health),
    clock: () => checkClock(health),
    service: () => checkService(input, health),
  }
  const checks: Check[] = []
  for (const [name, look] of Object.entries(looks)) checks.push(...(await tryLook(name, look)))
  return checks
}

type FoundOrFault = { readonly hub: FoundHub | YardError | undefined; readonly health: HealthView | undefined }

const noHub: FoundOrFault = { hub: undefined, health: undefined }

/** A hub that leaves between two questions is none. */
async function lookForHub(home: string): Promise<FoundOrFault> {
  try {
    const hub = await findHub(home)
    return { hub, health: await hub?.client.health() }
  } catch (fault) {
    if (!(fault instanceof YardError)) throw fault
    return { hub: fault.code === 'CLIENT_HUB_GONE' ? undefined : fault, health: undefined }
  }
}

async function tryLook(
  name: string,
  look: () => readonly Check[] | Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  try {
    return await look()
  } catch (fault) {
    if (fault instanceof YardError) return [bad(name, fault.message, fault.fix)]
    return [
      bad(
        name,
        `it could not be looked at: ${String(fault)}`,
        'look at it by hand; if that is fine, please report this',
      ),
    ]
  }
}
