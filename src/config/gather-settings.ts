import { join } from 'node:path'
import { FailureError } from '../model/failure.ts'
import { isJsonObject } from '../model/json.ts'
import { settingsFileSchema } from '../model/settings.ts'
import { shellWord } from '../model/shell-word.ts'
import { stat } from '../platform/quick-files.ts'
import { fileEndings, readIfFile, unlessAbsent } from './find-files.ts'
import type { GivenSetting } from './given-setting.ts'
import type { Layer } from './layers.ts'
import { onlyTighter, wallsForScript } from './only-tighter.ts'
import { failureOf } from './problems.ts'
import { parseYamlDocument } from './yaml-document.ts'
import type { YamlDocument } from './yaml-document.ts'
import { findingsIn, readAs } from './zod-problems.ts'

export interface SettingsOptions {
  readonly layers: readonly Layer[]
  readonly flags: SettingsFlags
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Settings that the command line may give, under their names in the file. */
export type SettingsFlags = Readonly<
  Partial<
    Record<
      | 'workflow'
      | 'provider'
      | 'model'
      | 'complexity'
      | 'base'
      | 'deliver'
      | 'time_limit'
      | 'sandbox'
      | 'remote_check',
      string | undefined
    >
  > &
    Partial<Record<'max_cost' | 'max_tokens', number | 'none' | undefined>>
>

/** From the defaults, the user's file, the project's, the environment and the flags: the weakest first. */
export async function gatherSettings({ layers, flags, env }: SettingsOptions): Promise<GivenSetting[]> {
  const [user, project] = await Promise.all([givenIn('user', layers), givenIn('project', layers)])
  return [
    ...defaults,
    ...wallsForScript(project),
    ...user,
    ...onlyTighter(project, { given: user, file: ownFile(layers) }),
    ...givenByEnvironment(env),
    ...givenByFlags(flags),
  ]
}

async function givenIn(name: 'user' | 'project', layers: readonly Layer[]): Promise<GivenSetting[]> {
  const layer = layers.find((one) => one.name === name)
  return layer ? givenByFile(layer) : []
}

function ownFile(layers: readonly Layer[]): string {
  const dir = layers.find(({ name }) => name === 'user')?.dir ?? '~/.config/baton'
  return join(dir, 'config.yaml')
}

const defaults: readonly GivenSetting[] = Object.entries({
  workflow: 'pipeline',
  'worktree.copy': [],
  'worktree.link': [],
  'worktree.setup': [],
  'worktree.setup_timeout': '10m',
  'worktree.setup_network': [],
  'worktree.ports': [],
  'limits.memory': '8GB',
  'limits.processes': 2000,
  'limits.file_size': '10GB',
}).map(([key, value]) => ({ key, value, source: { layer: 'default', where: '' } }))

/** Maps whose keys are set one by one; everything else is replaced whole. */
const sections = [
  'checks',
  'tools',
  'worktree',
  'limits',
  'providers',
  'scripted',
  'forge',
  'http',
  'models',
  'prices',
]

async function givenByFile(layer: Layer): Promise<GivenSetting[]> {
  const document = await settingsDocument(layer)
  if (!document) return []
  // An empty file, or one with nothing but comments, says nothing.
  const { value, problems } = readAs(
    document.value === null ? { ...document, value: {} } : document,
    settingsFileSchema,
  )
  if (!value) throw failureOf(problems, 'settings.invalid')
  return Object.entries(value)
    .filter(([key]) => key !== '$schema')
    .flatMap(([key, entry]) => {
      const isSection = sections.includes(key) && isJsonObject(entry)
      return isSection
        ? Object.entries(entry).map(([inner, part]) => ({ path: [key, inner], part: part as unknown }))
        : [{ path: [key], part: entry }]
    })
    .map(({ path, part }) => {
      const where = `${document.file}:${document.keyPositionOf(path).line}`
      // Rules of both files hold at once.
      const key = path[0] === 'firewall' ? `firewall.${layer.name}` : path.join('.')
      return { key, value: part, source: { layer: layer.name as 'user' | 'project', where } }
    })
}

/** Whoever made a folder of that name meant something by it, and is not passed over. */
async function readSettings(file: string): Promise<string | undefined> {
  const text = await readIfFile(file)
  if (text !== undefined || !(await unlessAbsent(stat(file)))?.isDirectory()) return text
  throw new FailureError({
    code: 'settings.invalid',
    message: `${file} is a folder, and settings are a file.`,
    next: `Give the folder another name: mv ${shellWord(file)} <another name>`,
  })
}

async function settingsDocument(layer: Layer): Promise<YamlDocument | undefined> {
  const found: YamlDocument[] = []
  for (const ending of fileEndings) {
    const file = join(layer.dir, `config${ending}`)
    const text = await readSettings(file)
    if (text !== undefined) found.push(await parseYamlDocument(file, text))
  }
  const [first, second] = found
  if (first && second) {
    const problem = {
      file: second.file,
      line: 1,
      column: 1,
      message: `${first.file} exists as well`,
      fix: 'keep one of them',
    }
    throw failureOf([problem], 'settings.invalid')
  }
  return first
}

/** Weakest first: `AGENTD_MODEL` is the name that an older tool gave to the same thing (R002-12). */
const variables = [
  ['workflow', 'BATON_WORKFLOW'],
  ['provider', 'BATON_PROVIDER'],
  ['model', 'AGENTD_MODEL'],
  ['model', 'BATON_MODEL'],
] as const

function givenByEnvironment(env: SettingsOptions['env']): GivenSetting[] {
  return variables.flatMap(([key, name]) => {
    const value = env[name]
    return value === undefined || value === ''
      ? []
      : [{ key, value, source: { layer: 'env' as const, where: name } }]
  })
}

function givenByFlags(flags: SettingsFlags): GivenSetting[] {
  const [wrong] = findingsIn(flags, settingsFileSchema)
  if (wrong) {
    const message = `${flagOf(String(wrong.path[0]))}: ${wrong.message}`
    throw new FailureError({ code: 'settings.invalid', message, next: wrong.fix })
  }
  return Object.entries(flags).flatMap(([key, value]) => {
    return value === undefined ? [] : [{ key, value, source: { layer: 'flag' as const, where: flagOf(key) } }]
  })
}

function flagOf(key: string): string {
  return `--${key.replaceAll('_', '-')}`
}
