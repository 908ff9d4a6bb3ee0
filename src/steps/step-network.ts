import type { Provider } from '../model/agent.ts'
import type { Room } from '../model/walls.ts'
import type { Role } from '../model/workflow.ts'
import type { Gate } from '../sandbox/gateway.ts'
import type { Workplace } from './workplace.ts'

/** The ways out of a room, open while a command runs in it. Ports are the room's own, so they can be the same for all. */
export interface StepNetwork {
  readonly doors: Room['doors']
  /** Tells programs of the way through the gateway. */
  readonly env: Readonly<Record<string, string>>
  readonly endpoint?: { readonly url: string; readonly token: string }
  close(): void
}

const gatewayPort = 3128
const keyPort = 3129

/** Without walls around it everything is reachable in any case. */
const nothingToOpen: StepNetwork = { doors: [], env: {}, close() {} }

/** For checks and set-up commands: the hosts that the settings list. */
export async function networkTo(
  { walls }: Pick<Workplace, 'walls'>,
  hosts: readonly string[],
): Promise<StepNetwork> {
  if (walls.kind === 'none' || hosts.length === 0) return nothingToOpen
  // Loaded here, since what Node has for networks takes 4 ms of a start, and without walls nobody needs it.
  const { openGateway } = await import('../sandbox/gateway.ts')
  return throughGateway(await openGateway(hosts))
}

/** For an agent: its own service, and what the role lists. With a key, the service is reached through the key proxy alone. */
export async function agentNetwork(
  { walls, keys }: Pick<Workplace, 'walls' | 'keys'>,
  provider: Provider,
  { network = 'provider' }: Pick<Role, 'network'>,
): Promise<StepNetwork> {
  if (walls.kind === 'none' || network === 'none' || provider.hasNoTools === true) return nothingToOpen
  const service = serviceOf(provider, keys)
  const listed = network === 'provider' ? [] : network
  const hosts = service === undefined ? [...listed, ...(provider.hosts ?? [])] : listed
  const way = await networkTo({ walls }, hosts)
  if (service === undefined) return way
  const { openKeyProxy } = await import('../sandbox/key-proxy.ts')
  const proxy = await openKeyProxy(service)
  return {
    doors: [...way.doors, { socket: proxy.socket, port: keyPort }],
    env: way.env,
    endpoint: { url: `http://127.0.0.1:${keyPort}${pathOf(service.url)}`, token: proxy.token },
    close() {
      way.close()
      proxy.close()
    },
  }
}

function serviceOf(
  { keyVariables = [], baseUrlVariable, serviceUrl, hosts = [] }: Provider,
  keys: Workplace['keys'],
): { readonly url: string; readonly key: string } | undefined {
  const key = keyVariables.map(keys).find((value) => value !== undefined && value !== '')
  const url =
    (baseUrlVariable === undefined ? undefined : keys(baseUrlVariable)) || serviceUrl || `https://${hosts[0]}`
  return key === undefined || !URL.canParse(url) ? undefined : { url, key }
}

function pathOf(url: string): string {
  return new URL(url).pathname.replace(/\/$/, '')
}

function throughGateway(gate: Gate): StepNetwork {
  const url = `http://127.0.0.1:${gatewayPort}`
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()])
  const near = '127.0.0.1,localhost,::1'
  return {
    doors: [{ socket: gate.socket, port: gatewayPort }],
    env: { ...Object.fromEntries(names.map((name) => [name, url])), NO_PROXY: near, no_proxy: near },
    close: () => gate.close(),
  }
}
