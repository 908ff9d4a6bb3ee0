/** Where a remote lies: at a forge's host, or somewhere in the file system. */
export type RemoteAddress =
  | { readonly type: 'host'; readonly host: string; readonly port?: string; readonly path: string }
  | { readonly type: 'local' }

const onlyLocal: RemoteAddress = { type: 'local' }

/** `https://host/owner/name.git`, `ssh://git@host:22/owner/name`, `git@host:owner/name.git`, or a path. */
export function readRemote(url: string): RemoteAddress {
  if (!url.includes('://')) return shortForm(url)
  if (!URL.canParse(url)) return onlyLocal
  const { protocol, hostname, port, pathname } = new URL(url)
  if (!['https:', 'http:', 'ssh:', 'git:', 'git+ssh:'].includes(protocol)) return onlyLocal
  const isWeb = protocol.startsWith('http')
  return address(hostname, decodeURIComponent(pathname), isWeb && port !== '' ? port : undefined)
}

/** A single letter before the colon is a drive, not a host. */
function shortForm(url: string): RemoteAddress {
  const [, host, path] = /^(?:[^@/\s]+@)?([\w.-]{2,}):(.+)$/.exec(url) ?? []
  return host === undefined || path === undefined ? onlyLocal : address(host, path)
}

function address(host: string, path: string, port?: string): RemoteAddress {
  const name = path.replaceAll(/^\/+|\/+$/g, '').replace(/\.git$/, '')
  if (name === '' || host === '') return onlyLocal
  return { type: 'host', host: host.toLowerCase(), path: name, ...(port === undefined ? {} : { port }) }
}
