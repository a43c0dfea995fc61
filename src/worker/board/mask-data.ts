import { isDeeperThan, maskJson, type Redactor } from '../../kernel/index.ts'

/** As the hub takes it; whoever walks it does so by recursion. */
const deepestData = 100

/** Data of a model with all that is secret in it masked. What is nested too deep is not walked: the hub refuses it, with words. */
export function maskData(redact: Redactor, data: unknown): unknown {
  if (isDeeperThan(data, deepestData)) return tooDeep
  return JSON.parse(maskJson(redact, data)) as unknown
}

/** One level more than the hub takes, and nothing of what was sent in it. */
const tooDeep: unknown = Array.from({ length: deepestData }).reduce<unknown>((inner) => [inner], [])
