import { YardError } from '../../kernel/index.ts'
import type { ErrorView } from '../contract/index.ts'
import { clientError } from './errors.ts'

/** The error of an answer that is not 2xx, as it was thrown in the hub: same code, message, fix and faults. */
export function errorFrom(address: string, status: number, text: string): YardError {
  const error = parseErrorView(text)
  if (error === undefined) {
    return clientError('CLIENT_BAD_ANSWER', { address, status, text: JSON.stringify(text.slice(0, 200)) })
  }
  const { code, message, fix, faults, reference } = error
  const values = { ...(faults === undefined ? {} : { faults }), ...(reference === undefined ? {} : { reference }) }
  return new YardError({ code, status, message, fix, values })
}

function parseErrorView(text: string): ErrorView['error'] | undefined {
  try {
    const { error } = JSON.parse(text) as Partial<ErrorView>
    return typeof error?.code === 'string' && typeof error.message === 'string' ? error : undefined
  } catch {
    return undefined // not JSON: something else answers there
  }
}
