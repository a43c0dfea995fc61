/** The disk of the home has less room than new work needs. Known while a hub is up; looked at anew by the next one. */
export interface DiskLow {
  readonly freeBytes: number
  /** What must be free before something new starts. */
  readonly neededBytes: number
  readonly sinceMs: number
  /** The largest parts of the home, largest first; empty until they were measured. */
  readonly largest: readonly { readonly path: string; readonly bytes: number }[]
}
