type Environment = Readonly<Record<string, string | undefined>>

/** The proxy that the environment names for an address, as curl would read it; undefined: go there directly. */
export function proxyFor(url: URL, env: Environment): URL | undefined {
  if (isExempt(url, first(env, ['no_proxy', 'NO_PROXY']) ?? '')) return undefined
  const names = url.protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY']
  const text = first(env, [...names, 'all_proxy', 'ALL_PROXY'])
  if (text === undefined) return undefined
  const proxy = text.includes('://') ? text : `http://${text}`
  // Another kind of proxy is not spoken here: as if there were none.
  return URL.canParse(proxy) && /^https?:/.test(proxy) ? new URL(proxy) : undefined
}

function first(env: Environment, names: readonly string[]): string | undefined {
  return names.map((name) => env[name]).find((value) => value !== undefined && value !== '')
}

/** `example.org` exempts itself and all below it, a port makes it exact, `*` exempts everything. */
function isExempt({ hostname, port, protocol }: URL, list: string): boolean {
  const actual = port || (protocol === 'https:' ? '443' : '80')
  return list
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true
      const [, name = '', wanted] = /^\.?(.*?)(?::(\d+))?$/.exec(entry.replace(/^\*\./, '')) ?? []
      if (wanted !== undefined && wanted !== actual) return false
      return hostname === name || hostname.endsWith(`.${name}`)
    })
}
