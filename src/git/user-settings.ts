import { join } from 'node:path'
import { readTextIfPresent } from '../platform/files.ts'

export interface Person {
  readonly name: string
  readonly email: string
}

/** The user's effective configuration, as far as it must hold in the task's git directories too. */
export interface UserSettings {
  /** Who commits; undefined if the user has not told git. */
  readonly identity?: Person | undefined
  /** Lower-case key to value: line endings, file system traits and sparse settings. Never a filter or a hook. */
  readonly config: Readonly<Record<string, string>>
  /** Content of the user's global ignore file. */
  readonly excludes: string
  /** The remote that holds what a partial clone lacks; undefined if the clone is whole. */
  readonly promisor?: string | undefined
}

/** `list` is what `git config --list -z` prints. */
export async function readUserSettings(
  list: string,
  env: Readonly<NodeJS.ProcessEnv>,
): Promise<UserSettings> {
  const values = parseConfigList(list)
  const copied = copiedKeys.flatMap((key) => {
    const value = values.get(key)
    return value === undefined ? [] : [[key, value] as const]
  })
  return {
    identity: identityOf(values),
    config: Object.fromEntries(copied),
    excludes: (await readTextIfPresent(excludesPath(values, env))) ?? '',
    promisor: promisorIn(values),
  }
}

const copiedKeys = [
  'core.autocrlf',
  'core.eol',
  'core.ignorecase',
  'core.precomposeunicode',
  'core.symlinks',
  'core.filemode',
  'core.sparsecheckout',
  'core.sparsecheckoutcone',
]

function parseConfigList(list: string): Map<string, string> {
  const values = new Map<string, string>()
  for (const entry of list.split('\0')) {
    const end = entry.indexOf('\n')
    // A key without "=" stands for true.
    if (end === -1) values.set(entry, 'true')
    else values.set(entry.slice(0, end), entry.slice(end + 1))
  }
  return values
}

function identityOf(values: ReadonlyMap<string, string>): Person | undefined {
  const name = values.get('author.name') ?? values.get('user.name')
  const email = values.get('author.email') ?? values.get('user.email')
  return name && email ? { name, email } : undefined
}

function promisorIn(values: ReadonlyMap<string, string>): string | undefined {
  const named = [...values].flatMap(([key, value]) => {
    const remote = /^remote\.(.*)\.promisor$/s.exec(key)?.[1]
    return remote !== undefined && value === 'true' ? [remote] : []
  })
  return values.get('extensions.partialclone') ?? named[0]
}

function excludesPath(values: ReadonlyMap<string, string>, env: Readonly<NodeJS.ProcessEnv>): string {
  const home = env['HOME'] ?? '/nonexistent'
  const configured = values.get('core.excludesfile')
  if (configured !== undefined) return configured.replace(/^~(?=\/)/, home)
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'git', 'ignore')
}
