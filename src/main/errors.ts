import { defineErrors, describeDuration, shellWord } from '../kernel/index.ts'

/** Why a yard cannot be opened. */
export const mainError = defineErrors({
  MAIN_HOME_TAKEN: {
    status: 409,
    says: ({ home, holder }: { home: string; holder: { pid: number } | undefined; purpose: 'up' | 'run' | 'store' }) =>
      holder === undefined
        ? `another process works in ${home}`
        : `another process (pid ${holder.pid}) works in ${home}`,
    fix: ({ purpose }: { purpose: 'up' | 'run' | 'store' }) =>
      purpose === 'run'
        ? 'wait for it, or stop it (Ctrl-C there, or SIGTERM to that pid) and run this again: it goes on where it was'
        : 'use the hub that is up (yardmaster list), or end it first: yardmaster down',
  },
  MAIN_HOME_ELSEWHERE: {
    status: 409,
    says: ({ home, host, pid }: { home: string; host: string; pid: number }) =>
      `another machine (${host}, pid ${pid} there) works in ${home}; a home is worked by one machine at a time`,
    fix: ({ host }) =>
      `use it on ${host}, stop it there (yardmaster down), or give this machine a home of its own: YARDMASTER_HOME=FOLDER`,
  },
  MAIN_HUB_SILENT: {
    status: 503,
    says: ({ pid, port, waitedMs }: { pid: number; port: number; waitedMs: number }) =>
      `the hub (pid ${pid}) holds port ${port} and did not answer within ${describeDuration(waitedMs)}`,
    fix: ({ pid }: { pid: number }) =>
      `try again; if it stays silent, end it (kill ${pid}; one that was suspended hears only kill -9 ${pid}) and start another: yardmaster up -d. What runs lives on and is adopted`,
  },
  MAIN_HUB_OF_SERVICE: {
    status: 409,
    says: ({ pid }: { pid: number }) =>
      `the hub (pid ${pid}) is kept up by a service manager, which would not know another`,
    fix: 'install the new version and restart it there, attempts go on: systemctl --user restart yardmaster (a container: restart that)',
  },
  MAIN_CANNOT_HAND_OVER: {
    status: 409,
    says: ({ pid, version }: { pid: number; version: string }) =>
      `the hub (pid ${pid}, version ${version}) is older than --replace and cannot hand over`,
    fix: ({ pid }) => `kill -TERM ${pid}, then yardmaster up -d: attempts go on and are adopted`,
  },
  MAIN_HUB_DID_NOT_LEAVE: {
    status: 500,
    says: ({ pid, waitedMs }: { pid: number; waitedMs: number }) =>
      `the hub (pid ${pid}) was asked to hand over and still holds the home after ${describeDuration(waitedMs)}`,
    fix: 'it takes no new work and leaves by itself; then: yardmaster up -d. Attempts go on and are adopted',
  },
  MAIN_HOME_UNUSABLE: {
    status: 500,
    says: ({ home, why }: { home: string; why: string }) => `the home ${home} cannot be used: ${why}`,
    fix: 'make it a folder that this user may write to, on a disk that is not mounted read-only, or name another one in YARDMASTER_HOME',
  },
  MAIN_STORE_MISSING: {
    status: 500,
    says: ({ store, runs }: { store: string; runs: string; backup: string | undefined }) =>
      `${store} is missing, and ${runs} holds attempts of it: somebody took it away`,
    fix: ({ runs, backup }) =>
      `put it back, or a backup in its place: yardmaster restore ${backup === undefined ? 'FILE (those of a home lie in its folder backups)' : shellWord(backup)}. To begin with an empty board instead, move ${runs} to another folder`,
  },
  MAIN_BAD_VARIABLE: {
    status: 400,
    says: ({ name, text }: { name: string; text: string; form: string }) => `${name} is ${JSON.stringify(text)}`,
    fix: ({ name, form }: { name: string; form: string }) => `unset ${name}, or write it like ${form}`,
  },
})
