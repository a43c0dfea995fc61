/** A pause or drain set by somebody; `scope` all, or one board, lane or account. Persists over restarts. */
export interface Hold {
  readonly scope: 'all' | 'board' | 'lane' | 'account'
  readonly name: string | null
  readonly kind: 'pause' | 'drain'
  readonly by: string
  readonly text: string | null
  readonly sinceMs: number
}
