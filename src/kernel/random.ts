import { randomBytes, randomInt } from 'node:crypto'

/** The one source of chance, handed in so that a test can replay it. */
export interface Random {
  /** Evenly in [0, 1). */
  fraction(): number
  /** `bytes` random bytes as lower-case hex. */
  hex(bytes: number): string
}

export const systemRandom: Random = {
  fraction: () => randomInt(2 ** 47) / 2 ** 47,
  hex: (bytes) => randomBytes(bytes).toString('hex'),
}
