import { basename, isAbsolute } from 'node:path'

/** Endings of files that are there to show what an env file would hold, and hold no secret. */
const samples = /\.(example|sample|template|dist|defaults?)$/i
const envFile = /^\.env(rc|[._-].*)?$|\.env$/i
const keyFile =
  /\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg)$|^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$|^\.(netrc|pgpass|htpasswd|pypirc|git-credentials|dockercfg)$|^authorized_keys$/i
const keyFolder = /^\.(ssh|gnupg|aws|kube)$/i

/**
 * Why no file tool changes this path, or undefined. Both names count: the one that was asked for, and the one to which
 * its links lead. A guard against slips and not a sandbox: the terminal can do what these tools refuse.
 */
export function whyGuarded(asked: string, shown: string): string | undefined {
  // What lies above the workspace says nothing of the file.
  for (const path of [shown, isAbsolute(asked) ? basename(asked) : asked]) {
    const parts = path.split('/')
    if (parts.some((part) => part.toLowerCase() === '.git')) {
      return `${path} belongs to git; use git itself in the terminal`
    }
    const name = basename(path)
    if (envFile.test(name) && !samples.test(name)) {
      return `${path} is an env file, where secrets live, and is not written here; say in your answer which lines it needs, or put them into an example file (.env.example)`
    }
    if (keyFile.test(name) || parts.slice(0, -1).some((part) => keyFolder.test(part))) {
      return `${path} is a key or a file of credentials, and is not written here; a person must put it in place`
    }
  }
  return undefined
}
