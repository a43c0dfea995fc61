/** The one source of chance, handed in so that a test can replay it. */
export interface Random {
  /** Evenly in [0, 1). */
  fraction(): number
  /** `bytes` random bytes as lower-case hex. */
  hex(bytes: number): string
}

export const systemRandom: Random = {
  fraction: () => crypto().randomInt(2 ** 47) / 2 ** 47,
  hex: (bytes) => crypto().randomBytes(bytes).toString('hex'),
}

/** Loaded at the first use: `node:crypto` is a tenth of the start of a chat worker, and most never need chance. */
function crypto() {
  return process.getBuiltinModule('node:crypto')
}
