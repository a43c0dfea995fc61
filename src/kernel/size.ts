const unitBytes = {
  B: 1,
  kB: 1e3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
} as const

/** As a pattern of JSON Schema: what `parseSize` reads, and not 0. */
export const sizePattern = '^(?=.*[1-9])\\d{1,15}(\\.\\d{1,3})?(B|[kK]B|[MGT]B|[KMGT]iB)$'

/**
 * Bytes behind `5GiB`, `1.5GB`, `512KiB` or `100B`, rounded down; undefined for anything else. A bare number has no unit
 * and is refused, as are one-letter units: `4G` means two different numbers to two people.
 */
export function parseSize(text: string): number | undefined {
  const match = /^(\d{1,15}(?:\.\d{1,3})?)(B|[kK]B|[MGT]B|[KMGT]iB)$/.exec(text)
  if (match === null) return undefined
  const bytes = Math.floor(Number(match[1]) * unitBytes[match[2] as keyof typeof unitBytes])
  return Number.isSafeInteger(bytes) ? bytes : undefined
}

/** The shortest exact form that `parseSize` reads back (`9437184` is `9MiB`). */
export function formatSize(bytes: number): string {
  const unit = (['TiB', 'GiB', 'MiB', 'KiB'] as const).find((one) => bytes > 0 && bytes % unitBytes[one] === 0)
  return unit === undefined ? `${bytes}B` : `${bytes / unitBytes[unit]}${unit}`
}

/** A size for people, in binary units with one tenth where it is small: `5 GiB`, `1.3 MiB`, `812 B`. */
export function describeSize(bytes: number): string {
  const [unit, size] = largestUnit(bytes)
  const amount = bytes / size
  const shown = size === 1 || amount >= 99.95 ? Math.round(amount) : Math.round(amount * 10) / 10
  return `${shown} ${unit}`
}

function largestUnit(bytes: number): readonly [string, number] {
  for (const unit of ['TiB', 'GiB', 'MiB', 'KiB'] as const) {
    if (bytes >= unitBytes[unit]) return [unit, unitBytes[unit]]
  }
  return ['B', 1]
}
