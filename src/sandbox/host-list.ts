import { isIP } from 'node:net'

/** Pure. `host`, `*.host` (its sub-domains), each with `:port`; without one, the ports of http and https. */
export function isListed(hosts: readonly string[], host: string, port: number): boolean {
  const name = host.toLowerCase().replace(/\.$/, '')
  return hosts.some((entry) => {
    const [pattern = '', only] = entry.toLowerCase().split(':')
    const isPort = only === undefined ? port === 443 || port === 80 : port === Number(only)
    return isPort && (pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern)
  })
}

/** Whether the person named this very machine or address: then it is meant, however near it is. */
export function isNamedNear(host: string): boolean {
  return isIP(host) !== 0 || host === 'localhost'
}

/** Addresses that a name on the open network has no business to lead to: this machine, its neighbours, a cloud's own service. */
export function isNear(address: string): boolean {
  const plain = address.toLowerCase().replace(/^::ffff:/, '')
  if (isIP(plain) === 4)
    return /^(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./.test(
      plain,
    )
  return plain === '::1' || plain === '::' || /^f[cdef]/.test(plain)
}
