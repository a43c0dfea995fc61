/** Where the dispatcher writes what only its keeper needs; what people need goes into the board's events. */
export interface DispatcherLog {
  info(event: string, data?: Readonly<Record<string, unknown>>): void
  warn(event: string, data?: Readonly<Record<string, unknown>>): void
  error(event: string, data?: Readonly<Record<string, unknown>>): void
}
