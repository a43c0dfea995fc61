import { emptyConfig } from '../../src/kernel/config/index.ts'
import { type Hub, type HubOptions, startHub } from '../../src/main.ts'

/** A hub in this program, as `up` starts one on an empty configuration; `how` says what is to be otherwise. */
export function aHub(home: string, how: Partial<HubOptions> = {}): Promise<Hub> {
  return startHub({
    home,
    config: emptyConfig(8),
    env: { PATH: process.env.PATH },
    purpose: 'up',
    paused: false,
    self: [process.execPath, '/nowhere/bin.cjs'],
    version: '1.2.3',
    ...how,
  })
}
