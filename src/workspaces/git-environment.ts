import { pickVariables } from '../kernel/process/index.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Of the hub's environment: who we are, how to reach others, which configuration is the user's. Never which repository. */
const passedNames: readonly string[] = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'TZ',
  'TMPDIR',
  'XDG_CONFIG_HOME',
  'XDG_RUNTIME_DIR',
  'SSH_AUTH_SOCK',
  'SSH_AGENT_PID',
  'KRB5CCNAME',
  'GIT_SSH_COMMAND',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_SSL_CAINFO',
  'GIT_SSL_CAPATH',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'CURL_CA_BUNDLE',
  'http_proxy',
  'https_proxy',
  'HTTPS_PROXY',
  'all_proxy',
  'ALL_PROXY',
  'no_proxy',
  'NO_PROXY',
  'LC_*',
]

/** Nobody is there to answer a question, no editor opens, and a commit is what it is, whatever `git replace` was told. Messages are read by us, so they are in English. */
const answersNothing: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  SSH_ASKPASS_REQUIRE: 'never',
  GCM_INTERACTIVE: 'never',
  GIT_EDITOR: 'false',
  GIT_SEQUENCE_EDITOR: 'false',
  GIT_PAGER: 'cat',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_ADVICE: '0',
  LC_ALL: 'C',
}

const askSshNothing = 'ssh -oBatchMode=yes -oConnectTimeout=15'

/** The whole environment of a git of ours. */
export function buildGitEnvironment(from: Env): Readonly<Record<string, string>> {
  const passed = pickVariables(from, { names: passedNames, keptBack: [] })
  return { GIT_SSH_COMMAND: askSshNothing, ...passed, ...answersNothing }
}
