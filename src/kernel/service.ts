/**
 * Everything that lives long. `start` resolves when it serves; `stop` resolves when it is really gone: no timer,
 * descriptor or child of it remains. Both may be called twice; the second call changes nothing.
 */
export interface Service {
  readonly name: string
  start(): Promise<void>
  stop(): Promise<void>
}

/** Stops in reverse order. One that fails or hangs does not keep the others from stopping. */
export async function stopAll(services: readonly Service[], eachMs: number): Promise<void> {
  const faults: unknown[] = []
  for (const service of services.toReversed()) {
    await withDeadline(service.stop(), eachMs, `stop ${service.name}`).catch((fault) => faults.push(fault))
  }
  if (faults.length > 0) throw new AggregateError(faults, `${faults.length} services did not stop cleanly`)
}

/** `work`, or a rejection that names `what` once `ms` have passed. The work itself is not ended. */
function withDeadline<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms} ms`)), ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
