import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What a fault or a world needs of the machine beyond Node and a shell. */
export type Power =
  | 'always'
  /** Mount a small file system. */
  | 'mount'
  /** Make pid namespaces, enter them, and say which number comes next in them. */
  | 'namespace'
  /** Let system calls of a process fail. */
  | 'inject'
  /** Change limits of a process that runs. */
  | 'limit'
  /** Have a child ended with its parent. */
  | 'death_signal'

/** What cannot be tried here, with the reason; said in the output, never left out in silence. */
export interface Skipped {
  readonly power: Power
  readonly without: string
  readonly why: string
}

/** Tries each power on something small. */
export function findPowers(): { readonly powers: readonly Power[]; readonly skipped: readonly Skipped[] } {
  const tried = probes.map(({ power, without, probe }) => ({ power, without, why: probe() }))
  return {
    powers: ['always', ...tried.filter(({ why }) => why === undefined).map(({ power }) => power)],
    skipped: tried.flatMap(({ power, without, why }) => (why === undefined ? [] : [{ power, without, why }])),
  }
}

/** Each answers why it does not work, or undefined. */
const probes: readonly { readonly power: Power; readonly without: string; readonly probe: () => string | undefined }[] =
  [
    { power: 'mount', without: 'disk full', probe: mounts },
    {
      power: 'namespace',
      without: 'reused pids, reboots, two hubs from two namespaces, a hub that is PID 1',
      probe: () => fails(['unshare', '--pid', '--fork', '--mount-proc', '--kill-child', 'sh', '-c', namespaceProbe]),
    },
    {
      power: 'inject',
      without: 'I/O errors',
      probe: () => fails(['strace', '-qq', '-o', '/dev/null', '-e', 'inject=fdatasync:error=EIO', '/bin/true']),
    },
    { power: 'limit', without: 'a hub that may open no more files', probe: () => fails(['prlimit', '--nofile']) },
    {
      power: 'death_signal',
      without: 'run --orphans die',
      probe: () => fails(['setpriv', '--pdeathsig', 'KILL', '--', '/bin/true']),
    },
  ]

/** The next number is the one that was asked for, and the boot can be given another name. */
const namespaceProbe = `
command -v nsenter > /dev/null || { echo nsenter is missing >&2; exit 1; }
echo 400 > /proc/sys/kernel/ns_last_pid && sh -c '[ $$ = 401 ]' && mount --bind /proc/sys/kernel/random/uuid /proc/sys/kernel/random/boot_id
`

function mounts(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'yardmaster-mount-'))
  try {
    const why = fails(['mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder])
    if (why === undefined) execFileSync('umount', [folder])
    return why
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function fails([program = '', ...args]: readonly string[]): string | undefined {
  const { error, status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (error !== undefined) return `${program}: ${(error as NodeJS.ErrnoException).code}`
  return status === 0 ? undefined : `${program} ended with ${status}: ${stderr.trim().split('\n')[0]}`
}
