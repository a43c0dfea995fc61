import { defineErrors } from '../kernel/index.ts'

/** What the command line itself refuses; everything else it prints comes from the API or from `main`. */
export const cliError = defineErrors({
  CLI_UNKNOWN_VERB: {
    status: 400,
    says: ({ of, verb }: { of: string; verb: string; nearest: string | undefined }) => `${of} has no verb "${verb}"`,
    fix: ({ of, nearest }) =>
      nearest === undefined ? `${of} --help lists the verbs` : `did you mean ${of} ${nearest}?`,
  },
  CLI_UNKNOWN_FLAG: {
    status: 400,
    says: ({ verb, flag }: { verb: string; flag: string; nearest: string | undefined }) =>
      `${verb} has no flag ${flag}`,
    fix: ({ verb, nearest }) => (nearest === undefined ? `${verb} --help lists its flags` : `did you mean ${nearest}?`),
  },
  CLI_BAD_USE: {
    status: 400,
    says: ({ says }: { says: string; fix: string }) => says,
    fix: ({ fix }) => fix,
  },
  CLI_NOT_YET: {
    status: 400,
    says: ({ what }: { what: string; instead: string }) => `${what} is not available yet`,
    fix: ({ instead }) => instead,
  },
  CLI_BAD_TARGET: {
    status: 400,
    says: ({ target, why }: { target?: string; why: string; fix?: string }) =>
      target === undefined ? why : `"${target}" names nothing: ${why}`,
    fix: ({ fix }) => fix ?? 'name a task (T5), an attempt (R12), a batch (B7 or its name) or a key; yardmaster list',
  },
  CLI_NO_TARGET: {
    status: 400,
    says: ({ verb }: { verb: string; example: string }) => `${verb} needs to know which task`,
    fix: ({ example }) => example,
  },
  CLI_NEEDS_YES: {
    status: 400,
    says: ({ question }: { question: string }) => `${question} Nobody can be asked here`,
    fix: 'say it with -y',
  },
  CLI_NO_YARD: {
    status: 404,
    says: ({ home }: { home: string }) => `there is no yard in ${home} yet`,
    fix: 'yardmaster add "…" makes one with its first task; another home: YARDMASTER_HOME=FOLDER',
  },
  CLI_HUB_UP: {
    status: 409,
    says: ({ home, pid, port }: { home: string; pid: number; port: number }) =>
      `a hub works ${home} already (pid ${pid}, http://127.0.0.1:${port})`,
    fix: 'use it as it is, put this program in its place (yardmaster up --replace), or stop it first: yardmaster down',
  },
  CLI_HUB_NOT_UP: {
    status: 409,
    says: ({ what }: { what: string }) => `${what} needs a hub, and none is up`,
    fix: 'yardmaster up -d',
  },
  CLI_HUB_DID_NOT_START: {
    status: 500,
    says: ({ pid, tail }: { pid: number; log: string; tail: string }) =>
      `the hub (pid ${pid}) ended before it served:\n${tail}`,
    fix: ({ log }) => `mend what it says and start it again; everything it said: ${log}`,
  },
  CLI_HUB_IS_LATE: {
    status: 500,
    says: ({ pid, waitedMs }: { pid: number; log: string; waitedMs: number }) =>
      `the hub (pid ${pid}) was started and does not serve yet after ${Math.round(waitedMs / 1_000)} s; it goes on trying`,
    fix: ({ pid, log }) => `look at what it does: ${log}; then yardmaster list, or end it: kill ${pid}`,
  },
  CLI_HUB_DOES_NOT_END: {
    status: 500,
    says: ({ pid, waitedMs }: { pid: number; waitedMs: number }) =>
      `the hub (pid ${pid}) was asked to stop and is still there after ${Math.round(waitedMs / 1_000)} s`,
    fix: 'look at what it waits for: yardmaster list',
  },
  CLI_NO_SYSTEMD: {
    status: 400,
    says: () => 'systemd does not run this machine, so there is nothing to install the unit (above) into',
    fix: 'in a container let an init start yardmaster up --service (docs/running.md); elsewhere yardmaster up -d; only the text: --print',
  },
  CLI_UNIT_NOT_OURS: {
    status: 409,
    says: ({ path }: { path: string }) => `${path} was written by somebody else and is left as it is`,
    fix: ({ path }) =>
      `compare it with yardmaster service install --print, and move ${path} away to have it written anew`,
  },
  CLI_UNIT_NOT_WRITTEN: {
    status: 400,
    says: ({ path, why }: { path: string; why: string }) => `${path} could not be written: ${why}`,
    fix: 'a unit of the system needs root: sudo yardmaster service install --system --as USER; or take --user',
  },
  CLI_NO_EDITOR: {
    status: 400,
    says: () => 'there is no terminal to open an editor in',
    fix: 'hand the text in: --prompt-file FILE, or - for standard input',
  },
  CLI_EDITOR_FAILED: {
    status: 400,
    says: ({ editor, how }: { editor: string; how: string; kept: string }) =>
      `${editor} ended with ${how}; nothing was written`,
    fix: ({ kept }) => `set $EDITOR to one that works; your text is kept in ${kept}`,
  },
  CLI_FILE_NOT_READ: {
    status: 400,
    says: ({ path, why }: { path: string; why: string }) => `${path} could not be read: ${why}`,
    fix: 'name a file that you may read; relative paths start at the current folder',
  },
  CLI_FILE_TOO_LARGE: {
    status: 400,
    says: ({ path, most }: { path: string; most: string }) =>
      `${path} is too large to be attached: more than ${most}; nothing of it is kept`,
    fix: 'put it where the task can reach it, and name its path or address in the prompt',
  },
  CLI_FILE_DAMAGED: {
    status: 500,
    says: ({ name }: { name: string }) =>
      `${JSON.stringify(name)} did not come as it was given; nothing of it was kept`,
    fix: 'try again; where it is so again, its bytes in the home’s folder attachments are damaged: attach it anew',
  },
  CLI_FILE_NOT_WRITTEN: {
    status: 500,
    says: ({ path, why }: { path: string; why: string }) =>
      `${path} could not be written: ${why}; nothing of it was kept`,
    fix: 'make room on that disk, or name a file on another one',
  },
  CLI_SURPRISE: {
    status: 500,
    says: ({ message }: { message: string }) => message,
    fix: 'this is a bug of ours; YARDMASTER_DEBUG=1 shows where it happened, please report it',
  },
})
