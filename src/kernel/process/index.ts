export { watchBirths } from './births.ts'
export {
  type CgroupBase,
  type FoundCgroups,
  findCgroups,
  makeRunCgroup,
  readCgroupCpuSeconds,
  readCgroupMembers,
  readCgroupOf,
  readOomKills,
  removeCgroup,
  removeEmptyCgroups,
} from './cgroups.ts'
export {
  buildChildEnvironment,
  type ChildEnvironment,
  holdsSecret,
  neverByPattern,
  pickVariables,
} from './child-environment.ts'
export { type OnEnd, openChildReaper } from './child-reaper.ts'
export { readCommandLine } from './command-line.ts'
export { findProgram } from './find-program.ts'
export {
  type Compared,
  captureFingerprint,
  compareFingerprint,
  type Fingerprint,
  formatFingerprint,
  isOfOtherBoot,
  isOfOtherNamespace,
  parseFingerprint,
  unverified,
} from './fingerprint.ts'
export { type HostIdentity, readHostIdentity } from './host-identity.ts'
export { type KernelLock, type LockAnswer, type LockHolder, readLockHolder, takeKernelLock } from './kernel-lock.ts'
export { type KillSource, killPolicy, reachesKept } from './kill-sources.ts'
export { type ChildUse, type Libc, loadLibc } from './libc.ts'
export { longestArgumentBytes } from './longest-argument.ts'
export { findMachine, type Machine, readMachine } from './machine-id.ts'
export { formatMarker, isOfThisUser, markerVariable, readMarkers } from './marker.ts'
export { createNamespaceLook, type IsNamespaceOver } from './namespace-look.ts'
export { readMachineOomKills } from './oom-kills.ts'
export { type ProcessStat, readStat, ticksPerSecond } from './proc-stat.ts'
export { readProcessTable } from './process-table.ts'
export { killCgroup } from './signal-cgroup.ts'
export {
  describeSignal,
  openPidfd,
  type SignalDeps,
  type SignalOrder,
  type SignalRecord,
  type SignalTarget,
  sendSignal,
} from './signals.ts'
export { readShellCode, type WaitStatus } from './wait-status.ts'
