import { constants } from 'node:os'

/** How a process ended. */
export type WaitStatus =
  | { readonly kind: 'code'; readonly code: number }
  /** `signal` by name, `SIGKILL`. */
  | { readonly kind: 'signal'; readonly signal: string }

const signalNames: ReadonlyMap<number, string> = new Map(
  Object.entries(constants.signals)
    .map(([name, number]) => [number, name] as const)
    .reverse(),
)

/** `SIGKILL` for 9; a number without a name stays one (`SIG34`). */
export function signalName(number: number): string {
  return signalNames.get(number) ?? `SIG${number}`
}

/** What a shell's own exit code says of the command it ran: 129 to 159 stand for death by signal 1 to 31. */
export function readShellCode(code: number): WaitStatus {
  return code > 128 && code < 160 ? { kind: 'signal', signal: signalName(code - 128) } : { kind: 'code', code }
}

/** The number of wait(2): the low 7 bits are the signal, the next byte the code. */
export function decodeWait(status: number): WaitStatus {
  const signal = status & 0x7f
  return signal === 0 ? { kind: 'code', code: (status >> 8) & 0xff } : { kind: 'signal', signal: signalName(signal) }
}
