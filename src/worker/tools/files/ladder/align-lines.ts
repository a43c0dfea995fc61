/** Larger pairs of texts are taken to have only their beginnings and ends in common. */
const mostCells = 1_000_000

/**
 * Which lines of `next` are lines of `old` that stayed: for each line of `next` the number of its line in `old`, or -1.
 * Longest common subsequence, beginnings and ends first.
 */
export function alignLines(old: readonly string[], next: readonly string[]): readonly number[] {
  const aligned = new Array<number>(next.length).fill(-1)
  let start = 0
  while (start < old.length && start < next.length && old[start] === next[start]) {
    aligned[start] = start
    start += 1
  }
  let oldEnd = old.length
  let nextEnd = next.length
  while (oldEnd > start && nextEnd > start && old[oldEnd - 1] === next[nextEnd - 1]) {
    oldEnd -= 1
    nextEnd -= 1
    aligned[nextEnd] = oldEnd
  }
  alignMiddle(old.slice(start, oldEnd), next.slice(start, nextEnd), (nextAt, oldAt) => {
    aligned[start + nextAt] = start + oldAt
  })
  return aligned
}

function alignMiddle(
  old: readonly string[],
  next: readonly string[],
  found: (nextAt: number, oldAt: number) => void,
): void {
  const width = next.length + 1
  if (old.length * next.length > mostCells) return
  const longest = new Uint32Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = next.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] =
        old[i] === next[j]
          ? (longest[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(longest[(i + 1) * width + j] ?? 0, longest[i * width + j + 1] ?? 0)
    }
  }
  for (let i = 0, j = 0; i < old.length && j < next.length; ) {
    if (old[i] === next[j]) {
      found(j, i)
      i += 1
      j += 1
    } else if ((longest[(i + 1) * width + j] ?? 0) >= (longest[i * width + j + 1] ?? 0)) i += 1
    else j += 1
  }
}
