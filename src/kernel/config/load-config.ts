import { availableParallelism } from 'node:os'
import { configError } from './errors.ts'
import { type ConfigSearch, findConfig } from './find-config.ts'
import { emptyConfig, parseConfig } from './parse-config.ts'
import { readText } from './read-text.ts'
import type { YardConfig } from './yard-config.ts'

/**
 * The yard's configuration: found, read and checked once, frozen. No file at all is a working yard. Throws
 * `CONFIG_INVALID` with every fault of the file (its `values.faults`), `CONFIG_NOT_FOUND` or `CONFIG_NOT_READ`.
 */
export function loadYardConfig(search: ConfigSearch): YardConfig {
  const cores = availableParallelism()
  const file = findConfig(search)
  if (file === undefined) return emptyConfig(cores)
  const read = readText(file)
  if (!read.ok) throw configError('CONFIG_NOT_READ', { file, why: read.why })
  const parsed = parseConfig({ text: read.text, file, cores, userHome: search.home })
  if (!parsed.ok) throw configError('CONFIG_INVALID', { file, faults: parsed.faults })
  return parsed.config
}
