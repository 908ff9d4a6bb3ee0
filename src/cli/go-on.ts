import { loadFrozen } from '../config/freeze.ts'
import type { Verb } from '../config/find-verbs.ts'
import { resolveInputs } from '../config/run-inputs.ts'
import { FailureError } from '../model/failure.ts'
import { textOf } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import { turnOf } from '../model/stretch.ts'
import type { WantedStretch } from '../model/stretch.ts'
import type { Workflow } from '../model/workflow.ts'
import type { ActiveRun } from './active-runs.ts'
import type { Command } from './command.ts'
import { limitingFlag } from './duration-flag.ts'
import { limitFlags } from './limit-flags.ts'
import { resumeRun } from './resume-run.ts'
import { reportEnd } from './run-report.ts'
import { stayWaiting } from './stay-waiting.ts'
import { goOnWith, verbLine } from './verb-line.ts'

interface GoingOn {
  readonly verb: Verb
  readonly found: ActiveRun
  readonly identifier: string
  readonly inputs: Readonly<Record<string, string>>
  readonly flags: Readonly<Record<string, unknown>>
}

/** A verb on a run that has begun: it goes on, or says what is done already or comes first. */
export async function goOn(command: Command, going: GoingOn): Promise<number> {
  const { verb, found, flags } = going
  const { state, folder } = found
  refuseFixed(going)
  const { loaded } = await loadFrozen(folder.frozen, { digest: state.digest })
  const { workflow } = loaded
  refuseOtherWords(workflow, going)
  const wanted: WantedStretch = {
    mode: verb.name,
    inputs: laterInputs(workflow, going),
    anyway: flags['anyway'] === true,
  }
  // Under way, or cut short: that comes first, and is the same command typed again.
  if (state.next === '') return resume(command, going, state.mode === verb.name ? undefined : wanted)
  const turn = turnOf(workflow, wanted, state.next)
  if (turn.type === 'goes') return resume(command, going, wanted)
  if (turn.type === 'early') throw tooEarly(workflow, going)
  const next = goOnWith(workflow, state)
  const text = `'${verb.name}' of ${found.id} is done already (run ${folder.id}).\nNext: ${next}   (once more: ${verbLine(workflow, verb.name, state.inputs)} --anyway)`
  command.output.result(text, { run: folder.id, outcome: 'paused', done: true, next })
  return 0
}

async function resume(
  { surroundings, output }: Command,
  { found, flags }: GoingOn,
  wanted: WantedStretch | undefined,
): Promise<number> {
  const limit = flags['timeLimit']
  const timeLimitMs =
    typeof limit === 'string'
      ? limitingFlag(limit, 'Write 90s, 30m, 2h or 1h30m, for example: --time-limit 2h')
      : undefined
  const outcome = await resumeRun(stayWaiting(surroundings, flags['stay'] === true), {
    ...{ run: found.folder.id, limits: limitFlags(flags), wait: flags['wait'] === true },
    ...(timeLimitMs === undefined ? {} : { timeLimitMs }),
    ...(wanted ? { wanted } : {}),
  })
  return reportEnd(output, outcome.end, outcome)
}

const fixed = ['base', 'from', 'provider', 'model', 'script', 'deliver', 'sandbox']

/** A run keeps what it was begun with. */
function refuseFixed({ verb, found, flags }: GoingOn): void {
  const given = fixed.find((name) => flags[name] !== undefined)
  if (given === undefined) return
  throw new FailureError({
    code: 'verb.begun',
    message: `Run ${found.folder.id} of ${found.id} has begun: --${given} cannot be changed any more.`,
    next: `baton ${verb.name} ${found.id}`,
  })
}

/** Saying it again does no harm; saying something else is a misunderstanding. */
function refuseOtherWords({ inputs: known }: Workflow, { found, identifier, inputs }: GoingOn): void {
  const about = Object.keys(inputs).find((name) => {
    if (name === identifier || known[name]?.required !== true) return false
    const before = textOf(found.state.inputs[name])
    return inputs[name] !== before && inputs[name] !== found.id
  })
  if (about === undefined) return
  throw new FailureError({
    code: 'verb.other',
    message: `${found.id} is about something else already (run ${found.folder.id}): ${textOf(found.state.inputs[about])}`,
    next: `Choose another name, or end that one: baton cancel ${found.folder.id}`,
  })
}

/** What may differ from one stretch to the next: neither the name nor what the run is about. */
function laterInputs(workflow: Workflow, { identifier, inputs, found }: GoingOn): JsonObject {
  const all = {
    ...Object.fromEntries(
      Object.entries(found.state.inputs)
        .filter(([name]) => Object.hasOwn(workflow.inputs, name))
        .map(([name, value]) => [name, Array.isArray(value) ? value.map(textOf) : textOf(value)]),
    ),
    ...inputs,
  }
  const resolved = resolveInputs(workflow, all)
  const names = Object.keys(inputs).filter(
    (name) => name !== identifier && workflow.inputs[name]?.required !== true,
  )
  return Object.fromEntries(names.map((name) => [name, resolved[name] ?? '']))
}

function tooEarly(workflow: Workflow, { verb, found }: GoingOn): FailureError {
  const { state } = found
  return new FailureError({
    code: 'verb.early',
    message: `${found.id} is not that far: '${state.next}' comes before '${verb.name}'.`,
    next: `${goOnWith(workflow, state)}   (or all the same: ${verbLine(workflow, verb.name, state.inputs)} --anyway)`,
  })
}
