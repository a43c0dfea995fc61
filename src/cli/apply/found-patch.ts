/** A patch that may be applied, wherever it comes from. */
export interface FoundPatch {
  readonly task: number
  readonly run: number
  readonly title: string
  readonly baseCommit: string
  /** How its attempt ended. */
  readonly outcome: string
  readonly checked: boolean
  /** It was named by itself, not as one of a batch or a folder. */
  readonly named: boolean
  /** Brings its bytes into a file, absolute. */
  readonly file: () => Promise<string>
}

/** What was found, and what cannot be a patch of ours, in words. */
export interface FoundPatches {
  /** Of a folder there may be no yard here that knows its tasks. */
  readonly from: 'folder' | 'yard'
  readonly patches: readonly FoundPatch[]
  readonly faults: readonly string[]
}
