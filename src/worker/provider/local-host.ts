/**
 * Whether a host, as a URL has it, is this machine or one of its own network: loopback, private and link-local
 * addresses, names that no public server can have. Only the name is looked at; nothing is resolved.
 */
export function isLocalHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '')
  if (host.startsWith('[')) return isLocalV6(host.slice(1, -1))
  const v4 = /^(\d+)\.(\d+)\.\d+\.\d+$/.exec(host)
  if (v4 !== null) return isLocalV4(Number(v4[1]), Number(v4[2]))
  return !host.includes('.') || /\.(?:localhost|local|internal|lan|home\.arpa)$/.test(host)
}

function isLocalV4(first: number, second: number): boolean {
  if (first === 0 || first === 10 || first === 127) return true
  if (first === 172) return second >= 16 && second <= 31
  if (first === 100) return second >= 64 && second <= 127 // shared address space, which overlay networks use
  return (first === 192 && second === 168) || (first === 169 && second === 254)
}

function isLocalV6(address: string): boolean {
  // The URL class writes a mapped address in hexadecimal: ::ffff:7f00:1.
  const mapped = /^::ffff:([0-9a-f]{1,4}):[0-9a-f]{1,4}$/.exec(address)?.[1]
  if (mapped !== undefined) {
    const high = Number.parseInt(mapped, 16)
    return isLocalV4(high >> 8, high & 0xff)
  }
  return address === '::1' || address === '::' || /^f[cd]|^fe[89ab]/.test(address)
}
