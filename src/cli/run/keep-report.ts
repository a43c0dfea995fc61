import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../../api/client/index.ts'
import type { BatchReportView } from '../../api/contract/index.ts'
import { type Clock, makeFolder, saySystemFault } from '../../kernel/index.ts'
import { patchesOfBatch, writeReportFiles } from '../report/index.ts'
import { bringPatches, type PatchFault } from './bring-patches.ts'
import { runError } from './errors.ts'

export interface ReportPlace {
  readonly batch: number
  /** Absolute. */
  readonly dir: string
  /** The source file of a row, by row key. */
  readonly files: ReadonlyMap<string, string>
  /** Set where the batch has a home of its own. */
  readonly privateHome: string | undefined
  /** What `apply` takes the patches from, where that is not the batch in its hub. */
  readonly applyFrom: string | undefined
}

/** Report files that follow a batch. */
export interface KeptReport {
  /** Something changed: written anew soon. */
  touch(): void
  /** Writes once more, after whatever write is under way; answers what was written. `from` where the hub has gone. */
  finish(from?: Client): Promise<BatchReportView>
}

/** Makes the folder and writes into it once, so that a wrong one is found before anything is created. */
export function checkReportDir(dir: string): void {
  try {
    makeFolder(dir)
    rmSync(mkdtempSync(join(dir, '.try-')), { recursive: true })
  } catch (cause) {
    throw runError('RUN_REPORT_NOT_WRITTEN', { dir, why: saySystemFault(cause) }, cause)
  }
}

interface Written {
  readonly view: BatchReportView
  /** Patches that are not there; those of the last writing count. */
  readonly faults: readonly PatchFault[]
}

/** At most this often. A report of thousands of rows takes longer to write, and then waits ten times as long as it took. */
const atMostEveryMs = 1_000

/**
 * Keeps report.md, report.json, junit.xml and the patches current while a batch works, so that a kill loses none; the
 * first is written at once. Throws `RUN_REPORT_LOST`, and `RUN_PATCHES_LOST` with the rest of the report written.
 */
export async function keepReport(
  { client, clock }: { readonly client: Client; readonly clock: Clock },
  place: ReportPlace,
): Promise<KeptReport> {
  const over = new AbortController()
  let isStale = false
  let writing: Promise<unknown> | undefined
  let waitsFor = 0
  await write(client, over.signal)

  async function write(from: Client, signal: AbortSignal): Promise<Written> {
    isStale = false
    const startedMs = clock.monotonicMs()
    const view = await from.batchReport(place.batch)
    // The report names its patches, so they are there before it.
    const patches = patchesOfBatch(view)
    const faults = await bringPatches({ client: from }, { dir: place.dir, patches, signal })
    put(place, view)
    waitsFor = Math.max(atMostEveryMs, 10 * (clock.monotonicMs() - startedMs))
    return { view, faults }
  }

  function plan(): void {
    if (!isStale || writing !== undefined || over.signal.aborted) return
    writing = clock
      .sleep(waitsFor, over.signal)
      .then(() => write(client, over.signal))
      // Stopped, or a disk that is full for a moment: `finish` writes the last one and says what is wrong with it.
      .catch(() => {})
      .finally(() => {
        writing = undefined
        plan()
      })
  }

  return {
    touch() {
      isStale = true
      plan()
    },
    async finish(from = client) {
      over.abort()
      await writing
      const { view, faults } = await write(from, new AbortController().signal)
      if (faults.length > 0) throw runError('RUN_PATCHES_LOST', { faults, home: place.privateHome })
      return view
    },
  }
}

function put({ dir, files, privateHome, applyFrom }: ReportPlace, view: BatchReportView): void {
  try {
    writeReportFiles({ dir, view, files, privateHome, applyFrom })
  } catch (cause) {
    const why = saySystemFault(cause)
    throw runError('RUN_REPORT_LOST', { dir, why, batch: view.batch.id, home: privateHome }, cause)
  }
}
