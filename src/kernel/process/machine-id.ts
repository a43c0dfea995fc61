import { closeSync, fstatSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Random } from '../index.ts'

/** Which machine this is, for telling a home that was copied to another one. */
export interface Machine {
  /** 32 hex digits, the same at every start on this machine. */
  readonly id: string
  /** Its host name, for people; two machines may share one. */
  readonly host: string
  /**
   * system: of the operating system. home: it has none, so a file in the home stands for it. That file says "another
   * machine" wherever the home was copied, also on the same machine, and cannot tell a disk that was cloned as a whole.
   */
  readonly from: 'system' | 'home'
}

/** Where machine-id(5) and D-Bus keep it. */
const systemFiles = ['/etc/machine-id', '/var/lib/dbus/machine-id'] as const

/** What may stand in for the files of the system. */
export interface MachineFiles {
  /** Absolute path in the home, made where the system has no id. */
  readonly keptIn: string
  readonly systemFiles?: readonly string[]
}

/** The id of this machine; one without is given an id that is kept in `keptIn`. Throws what writing that file throws. */
export function readMachine({ random }: { readonly random: Random }, files: MachineFiles): Machine {
  return findMachine(files) ?? { id: keepId({ random }, files.keptIn), host: hostname(), from: 'home' }
}

/** The same without making anything: undefined where neither the system nor the home has an id. */
export function findMachine({ keptIn, systemFiles: files = systemFiles }: MachineFiles): Machine | undefined {
  const ofSystem = readSystemId(files)
  if (ofSystem !== undefined) return { id: disguise(ofSystem), host: hostname(), from: 'system' }
  const kept = readKeptId(keptIn)
  return kept === undefined ? undefined : { id: kept, host: hostname(), from: 'home' }
}

/** As the system has it, which is not to be kept or shown (machine-id(5)); undefined where it has none. */
export function readSystemId(files: readonly string[] = systemFiles): string | undefined {
  for (const file of files) {
    const text = readText(file)?.trim() ?? ''
    // Empty or `uninitialized` in images that get theirs at the first boot.
    if (/^[0-9a-f]{32}$/.test(text)) return text
  }
  return undefined
}

/** machine-id(5) asks programs not to keep or show the id itself, but one that is derived from it. */
function disguise(id: string): string {
  // Loaded here: a chat worker comes through the same door and never asks.
  const { createHmac } = process.getBuiltinModule('node:crypto')
  return createHmac('sha256', id).update('yardmaster').digest('hex').slice(0, 32)
}

/** Undefined also for a copy of the file: it names the inode and birth that it was written with. */
function readKeptId(file: string): string | undefined {
  const match = /^([0-9a-f]{32}) (\S+)\n$/.exec(readText(file) ?? '')
  if (match === null) return undefined
  const [, id, place] = match
  const descriptor = openSync(file, 'r')
  try {
    return place === placeOf(descriptor) ? id : undefined
  } finally {
    closeSync(descriptor)
  }
}

function keepId({ random }: { readonly random: Random }, file: string): string {
  const id = random.hex(16)
  const descriptor = openSync(`${file}.new`, 'w', 0o600)
  try {
    writeSync(descriptor, `${id} ${placeOf(descriptor)}\n`)
  } finally {
    closeSync(descriptor)
  }
  renameSync(`${file}.new`, file) // keeps the inode
  return id
}

/** Birth times are 0 on file systems that keep none. */
function placeOf(descriptor: number): string {
  const { ino, birthtimeMs } = fstatSync(descriptor)
  return `${ino}:${Math.round(birthtimeMs)}`
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return undefined // a machine without it is ordinary
  }
}
