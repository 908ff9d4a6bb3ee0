import { join } from 'node:path'
import { modelTable } from '../agents/model-tables.ts'
import { readBlob } from '../git/facts.ts'
import { chooseModel, judgeComplexity, sizeOfWork } from '../model/model-choice.ts'
import type { JudgedComplexity, ModelChoice } from '../model/model-choice.ts'
import { choosePlayer } from '../model/quota.ts'
import type { Instant } from '../model/durable.ts'
import type { Player } from '../model/quota.ts'
import type { StepRequest } from '../model/step-result.ts'
import type { AgentStep } from '../model/workflow.ts'
import { instantOf } from '../platform/clock.ts'
import { ensureDirectory, readTextIfPresent, writeFileAtomic } from '../platform/files.ts'
import { rm } from '../platform/quick-files.ts'
import type { CallResult } from './next-call.ts'
import type { Site } from './workplace.ts'

/** Who plays a role in one call. */
export type Cast = { readonly provider: string; readonly choice: ModelChoice }

export interface Casting {
  readonly site: Site
  readonly request: StepRequest & { readonly step: AgentStep }
  readonly tip: string
  /** Folder of the call. */
  readonly dir: string
}

/** Decided when a call is started, and kept with it: an answer that is on disk was given by whoever was cast then. */
export async function castRole(casting: Casting): Promise<Cast | (Player & { type: 'nobody' })> {
  const { site, request } = casting
  const { role } = request.step
  const player = choosePlayer(role, site.quotas, instantOf(site.clock))
  if (player.type === 'nobody') return player
  const choice = await choiceFor(casting, player)
  const cast: Cast = { provider: player.provider, choice }
  await keepCast(casting, cast)
  return cast
}

export async function earlierCast({ request, dir }: Casting): Promise<Cast> {
  const text = await readTextIfPresent(castFile(dir))
  if (text !== undefined) return JSON.parse(text) as Cast
  const { provider, model } = request.step.role
  return { provider, choice: model === undefined ? { from: 'provider' } : { model, from: 'role' } }
}

/** The request with the role as it is played in this call. */
export function playedBy(request: Casting['request'], { provider, choice }: Cast): Casting['request'] {
  const { model: _model, ...role } = request.step.role
  const { model } = choice
  const step = { ...request.step, role: { ...role, provider, ...(model === undefined ? {} : { model }) } }
  return { ...request, step }
}

/** Nobody was started: a call that its provider would have refused. */
export function nobodyBefore(resetsAt: Instant, provider: string): CallResult {
  const detail = `The quota of ${provider} is used up`
  return { type: 'error', error: 'quota', detail, resetsAt, by: { provider } }
}

/** Only where it is another one than the role says: nearly every call has none to keep. */
async function keepCast({ request, dir }: Casting, cast: Cast): Promise<void> {
  const { provider, model } = request.step.role
  if (cast.provider === provider && cast.choice.model === model) return rm(castFile(dir), { force: true })
  await ensureDirectory(dir)
  await writeFileAtomic(castFile(dir), JSON.stringify(cast))
}

function castFile(dir: string): string {
  return join(dir, 'cast.json')
}

/** A model that was named for one provider means nothing to the one that stands in for it. */
async function choiceFor(casting: Casting, player: Player & { type: 'player' }): Promise<ModelChoice> {
  const { settings } = casting.site
  const { model: pin } = casting.request.step.role
  const table = modelTable(player.provider, settings.models)
  const named = player.isFallback ? {} : { ...askedFor(settings), ...(pin === undefined ? {} : { pin }) }
  const isMeasured = !('asked' in named) && !('pin' in named) && Object.keys(table).length > 0
  const complexity: JudgedComplexity = isMeasured
    ? await complexityOf(casting)
    : { level: 'medium', from: 'default' }
  return chooseModel({ ...named, table, complexity })
}

function askedFor({ model, modelFrom }: Site['settings']) {
  return model === undefined ? {} : { asked: { model, from: modelFrom ?? ('settings' as const) } }
}

async function complexityOf({ site, request, tip }: Casting): Promise<JudgedComplexity> {
  const { complexity: asked } = site.settings
  const { values } = request
  const question = {
    ...(asked === undefined ? {} : { asked }),
    ...{ values, reads: request.reads.flatMap((item) => ('name' in item ? [item.name] : [])) },
  }
  const judged = judgeComplexity(question)
  if (judged.from !== 'default') return judged
  const size = sizeOfWork(await documentsOf({ site, request, tip }))
  return size === undefined ? judged : judgeComplexity({ ...question, size })
}

/** As they are committed: what lies in the worktree may be anything. */
async function documentsOf({ site, request, tip }: Omit<Casting, 'dir'>) {
  const paths = request.reads.flatMap((item) => (item.type === 'artifact' ? item.paths : []))
  const read = paths
    .filter((path) => path.endsWith('.md'))
    .map(async (path) => ({
      path,
      text: (await readBlob(site.repo, tip, path)) ?? '',
    }))
  return Promise.all(read)
}
