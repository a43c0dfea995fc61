import { generateKeyPairSync, sign } from 'node:crypto'

/** A certificate that nobody but its maker vouches for, with its key; both PEM. */
export interface OwnCertificate {
  readonly cert: string
  readonly key: string
}

/** Made anew each time, so that no key lies in the repository. X.509 version 1 is enough: a name and two dates. */
export function makeCertificate(input: {
  readonly host: string
  readonly fromMs: number
  readonly untilMs: number
}): OwnCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(Buffer.from('06082a8648ce3d040302', 'hex')) // ecdsa-with-SHA256
  const commonName = Buffer.from('0603550403', 'hex')
  const name = sequence(part(0x31, sequence(commonName, part(0x0c, Buffer.from(input.host)))))
  const body = sequence(
    part(0x02, Buffer.from([1])), // serial number
    algorithm,
    name, // whoever signs
    sequence(time(input.fromMs), time(input.untilMs)),
    name, // whom it is for
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = part(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]))
  const text = sequence(body, algorithm, signature).toString('base64')
  const lines = (text.match(/.{1,64}/g) ?? []).join('\n') // an empty line would end it
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** One piece of DER: tag, length, content. */
function part(tag: number, content: Uint8Array): Buffer {
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: readonly Uint8Array[]): Buffer => part(0x30, Buffer.concat(parts))

/** `20261130060200Z` */
const time = (atMs: number): Buffer =>
  part(0x18, Buffer.from(`${new Date(atMs).toISOString().replace(/[-:T]|\.\d+Z$/g, '')}Z`))
