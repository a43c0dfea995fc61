import { readFileSync, statfsSync, statSync } from 'node:fs'
import { boardError } from '../errors.ts'

/**
 * Where a store lies. network: file locks and shared memory, on which SQLite's write-ahead log stands, do not hold
 * between machines, so that two programs could both believe that they are alone. unsure: shared with a host or another
 * program, which may or may not keep them.
 */
export interface FileSystem {
  readonly kind: 'local' | 'network' | 'unsure'
  /** As people know it: `nfs`, `fuse.sshfs`. */
  readonly name: string
}

/** Throws `BOARD_ON_NETWORK` when the folder lies on a network file system. Answers where it lies. */
export function refuseNetwork(folder: string): FileSystem {
  const fileSystem = readFileSystem(folder)
  if (fileSystem.kind === 'network') throw boardError('BOARD_ON_NETWORK', { path: folder, name: fileSystem.name })
  return fileSystem
}

/** The file system of a folder that exists; local where the system says nothing of it. */
export function readFileSystem(folder: string): FileSystem {
  try {
    return judgeFileSystem(statfsSync(folder).type, () => mountedAs(statSync(folder).dev))
  } catch {
    return { kind: 'local', name: 'unknown' } // a folder that cannot be looked at is refused where it is opened
  }
}

/** `mounted` tells the type from the table of mounts, asked only where the number alone does not say enough. */
export function judgeFileSystem(type: number, mounted: () => string | undefined): FileSystem {
  // The system call's field is signed on some machines.
  const magic = type >>> 0
  const network = networkTypes[magic]
  if (network !== undefined) return { kind: 'network', name: network }
  if (magic === fuse) return judgeFuse(mounted() ?? 'fuse')
  const shared = sharedTypes[magic]
  return shared === undefined ? { kind: 'local', name: 'local' } : { kind: 'unsure', name: shared }
}

function judgeFuse(name: string): FileSystem {
  const program = name.replace(/^fuse\./, '')
  if (localFuse.has(program)) return { kind: 'local', name }
  return { kind: networkFuse.has(program) ? 'network' : 'unsure', name }
}

/** Superblock numbers: linux/magic.h and the table `human_fstype` of GNU coreutils' stat.c, those it marks as remote. */
const networkTypes: Readonly<Record<number, string>> = {
  26985: 'nfs',
  20859: 'smb',
  4283649346: 'cifs',
  4266872130: 'smb2',
  22092: 'ncp',
  1397113167: 'afs',
  1799439955: 'kafs',
  1937076805: 'coda',
  12805120: 'ceph',
  198183888: 'lustre',
  1196443219: 'gpfs',
  428016422: 'beegfs',
  19993000: 'ibrix',
  2866260714: 'panfs',
  18225520: 'gfs2',
  1952539503: 'ocfs2',
}
const fuse = 0x65735546

/** Folders of the host in a virtual machine or a container. gVisor shows its local root as 9p, so that it cannot be refused. */
const sharedTypes: Readonly<Record<number, string>> = {
  16914839: '9p',
  3133910204: 'vmhgfs',
  2020557398: 'vboxsf',
  2088527475: 'prl_fs',
}

const networkFuse: ReadonlySet<string> = new Set([
  'sshfs',
  's3fs',
  'rclone',
  'gcsfuse',
  'goofys',
  'glusterfs',
  'ceph',
  'ceph-fuse',
  'juicefs',
  'davfs',
  'davfs2',
  'curlftpfs',
  'smbnetfs',
  'blobfuse',
  'blobfuse2',
  'mount-s3',
  'seaweedfs',
  'hdfs',
  'cvmfs2',
  'gvfsd-fuse',
  'grpcfuse',
  'osxfs',
])
const localFuse: ReadonlySet<string> = new Set([
  'fuseblk',
  'ntfs-3g',
  'exfat',
  'bindfs',
  'mergerfs',
  'fuse-overlayfs',
  'gocryptfs',
  'encfs',
  'cryfs',
  'zfs',
])

/** What the table of mounts calls the file system of this device; undefined where it is not listed. */
function mountedAs(device: number): string | undefined {
  const wanted = `${(device >>> 8) & 0xfff}:${(device & 0xff) | ((device >>> 12) & 0xfff00)}`
  for (const line of readFileSync('/proc/self/mountinfo', 'utf8').split('\n')) {
    const [mount = '', source = ''] = line.split(' - ')
    if (mount.split(' ')[2] === wanted) return source.split(' ')[0]
  }
  return undefined
}
