/** Chance that can be thrown again: the same seed gives the same throws. */
export interface Dice {
  /** In [0, 1). */
  fraction(): number
  /** A whole number, both ends included. */
  int(least: number, most: number): number
  pick<T>(rows: readonly T[]): T
  /** One of the rows, each as often as its weight says. */
  weighted<T extends { readonly weight: number }>(rows: readonly T[]): T
  /** As many hexadecimal digits. */
  hex(digits: number): string
}

/** Throws from a seed (mulberry32). `label` gives each part throws of its own, so that one more in here changes nothing there. */
export function createDice(seed: number, label: string | number = ''): Dice {
  let state = mix(seed, String(label))
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let word = Math.imul(state ^ (state >>> 15), state | 1)
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61)
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (least: number, most: number) => least + Math.floor(fraction() * (most - least + 1))
  return {
    fraction,
    int,
    pick: (rows) => (rows.length === 0 ? nothingToPick() : (rows[int(0, rows.length - 1)] as (typeof rows)[number])),
    weighted(rows) {
      let left = fraction() * rows.reduce((sum, { weight }) => sum + weight, 0)
      for (const row of rows) {
        left -= row.weight
        if (left < 0) return row
      }
      return rows.at(-1) ?? nothingToPick()
    },
    hex: (digits) => Array.from({ length: digits }, () => int(0, 15).toString(16)).join(''),
  }
}

function nothingToPick(): never {
  throw new Error('there is nothing to pick from')
}

/** FNV-1a over the label, started from the seed. */
function mix(seed: number, label: string): number {
  let hash = (seed ^ 0x811c9dc5) >>> 0
  for (const char of label) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193) >>> 0
  return hash
}
