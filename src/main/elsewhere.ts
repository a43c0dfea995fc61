import { findMachine, type LockHolder } from '../kernel/process/index.ts'
import type { Home } from './home.ts'

/** Whether a note beside the lock is of another machine's hub: its pid and port say nothing here (C173). */
export function isElsewhere(home: Pick<Home, 'machine'>, { machine }: Pick<LockHolder, 'machine'>): boolean {
  return machine !== null && machine !== findMachine({ keptIn: home.machine })?.id
}
