/**
 * Named places where a test build can be killed as by `kill -9`, so that "nothing is lost at any moment" is tried at
 * each moment and not only hoped for. In a released build the whole body folds away (`__CRASH_POINTS__` is false).
 */
declare const __CRASH_POINTS__: boolean

/** Every commit point and every act between two of them. A new one without a row in the crash suite fails its test. */
export const crashPoints = [
  'hub.locked',
  'hub.recorded',
  'queue.written',
  'queue.committed',
  'batch.committed',
  'claim.committed',
  'workspace.made',
  'run.directory',
  'shim.spawned',
  'identity.committed',
  'gate.opened',
  'log.cut',
  'stop.committed',
  'rung.committed',
  'ladder.term',
  'ladder.kill',
  'exit.seen',
  'stage.over',
  'changes.taken',
  'change.recorded',
  'workspace.put_back',
  'exit.committed',
  'tree.swept',
  'settle.committed',
  'account.closed',
  'batch.ended',
  'adopt.done',
  'release.committed',
  'retention.moved',
  'retention.recorded',
  'retention.forgotten',
  'backup.written',
  'backup.placed',
  'restore.prepared',
  'restore.decided',
  'restore.log_kept',
  'restore.store_kept',
  'restore.done',
  'aside.decided',
  'aside.log_kept',
  'aside.store_kept',
] as const
export type CrashPoint = (typeof crashPoints)[number]

let armed: { point: string; hitsLeft: number } | undefined

/** `name` or `name:3` for the third hit; called once by the entry file with `YARDMASTER_CRASH_AT`. */
export function armCrashPoint(text: string | undefined): void {
  if (!__CRASH_POINTS__ || text === undefined || text === '') return
  const [point = '', hits = '1'] = text.split(':')
  armed = { point, hitsLeft: Number(hits) }
}

/** Ends this process with SIGKILL when it is the armed point's turn; does nothing otherwise. */
export function crashPoint(point: CrashPoint): void {
  if (!__CRASH_POINTS__ || armed === undefined || armed.point !== point) return
  armed.hitsLeft -= 1
  if (armed.hitsLeft === 0) process.kill(process.pid, 'SIGKILL')
}
