import { closeSync, constants, lstatSync, openSync, renameSync, writeSync } from 'node:fs'
import pino from 'pino'
import type { Redactor } from '../kernel/index.ts'

/** What only the keeper of a hub needs; what people need goes into the board's events. One JSON object a line. */
export interface HubLog {
  info(event: string, data?: Readonly<Record<string, unknown>>): void
  warn(event: string, data?: Readonly<Record<string, unknown>>): void
  error(event: string, data?: Readonly<Record<string, unknown>>): void
  close(): void
}

/** Some hundred thousand lines: far more than anybody looks back, and no burden for a disk. */
const longestLogBytes = 16 * 1024 * 1024

/**
 * Opens `log/hub.log` for appending, 0600. Every line is masked and written before the call returns: lines are few, and
 * the last ones before a crash are the ones that count. No transport of pino's, since those are worker threads.
 * One over 16 MiB becomes `hub.log.1` first, in place of an older one: a home that lives for years keeps two at most.
 */
export function openHubLog({ mask }: { readonly mask: Redactor }, file: string): HubLog {
  rotate(file)
  const descriptor = openSync(
    file,
    constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW,
    0o600,
  )
  let isOpen = true
  const write = (line: string) => {
    if (!isOpen) return
    try {
      writeSync(descriptor, mask(line))
    } catch {
      // A full disk must not take the hub down with its log; `why` and health tell about the disk.
    }
  }
  const logger = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime, messageKey: 'event' }, { write })
  return {
    info: (event, data = {}) => logger.info(data, event),
    warn: (event, data = {}) => logger.warn(data, event),
    error: (event, data = {}) => logger.error(data, event),
    close() {
      if (!isOpen) return
      isOpen = false
      closeSync(descriptor)
    },
  }
}

function rotate(file: string): void {
  const bytes = lstatSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (bytes > longestLogBytes) renameSync(file, `${file}.1`)
}
