import { describeDuration } from '../../kernel/index.ts'

/** How long something took: tenths of a second where whole ones would say nothing (`0.3s`, `9.5s`, `41s`, `1h 28m`). */
export function describeTook(ms: number): string {
  return ms < 9_950 ? `${(ms / 1_000).toFixed(1)}s` : describeDuration(ms)
}
