import type { YardError } from '../../kernel/index.ts'
import { apiError } from '../errors.ts'

export interface RequestAddress {
  readonly host: string | undefined
  readonly origin: string | undefined
  /** Port at which the request came in. */
  readonly port: number
}

/**
 * The refusal of a request that was not meant for this hub, or undefined. A page of a foreign site can make a browser
 * reach loopback (DNS rebinding), but not change the names that it sends along, so they are held to ours (C159).
 */
export function refuseAddress({ host, origin, port }: RequestAddress): YardError | undefined {
  const ours = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`)
  if (host === undefined || !ours.includes(host.toLowerCase())) {
    return apiError('API_WRONG_HOST', { host: host === undefined ? 'no host' : JSON.stringify(host.slice(0, 100)) })
  }
  if (origin !== undefined && !ours.map((name) => `http://${name}`).includes(origin.toLowerCase())) {
    return apiError('API_WRONG_ORIGIN', { origin: JSON.stringify(origin.slice(0, 100)) })
  }
  return undefined
}
