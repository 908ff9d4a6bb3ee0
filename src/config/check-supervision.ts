import { gatesOfFile, judgedBy } from './file-gates.ts'
import { writeInstead } from './nearest.ts'
import type { Outline, StepPlace } from './outline.ts'
import type { Finding } from './problems.ts'

/** Who judges, by which gates, where its levels lead, and the phases that steps name. */
export function checkSupervision(outline: Outline): Finding[] {
  return [
    ...roleFindings(outline),
    ...levelFindings(outline),
    ...gateFindings(outline),
    ...outline.steps.flatMap((place) => [
      ...verifyFindings(place, outline),
      ...phaseFindings(place, outline),
      ...everyFindings(place, outline),
    ]),
  ]
}

function roleFindings({ file }: Outline): Finding[] {
  const { supervision } = file
  const roles = Object.keys(file.roles ?? {})
  if (!supervision) return []
  if (!roles.includes(supervision.role)) {
    const message = `'supervision' names role '${supervision.role}', which does not exist`
    return [{ path: ['supervision', 'role'], message, fix: writeInstead(supervision.role, roles) }]
  }
  if (file.roles?.[supervision.role]?.prompt !== undefined) return []
  const message = `role '${supervision.role}' has no prompt`
  return [
    { path: ['roles', supervision.role], atKey: true, message, fix: `add 'prompt: ${supervision.role}.md'` },
  ]
}

function levelFindings({ file }: Outline): Finding[] {
  const levels = (file.supervision?.escalation ?? []).map(({ level }) => level)
  const steps = file.steps.map(({ id }) => id)
  const twice = levels.findIndex((level, index) => levels.indexOf(level) !== index)
  const doubled: Finding[] =
    twice === -1
      ? []
      : [
          {
            path: ['supervision', 'escalation', twice, 'level'],
            message: `there are two levels '${levels[twice]}'`,
            fix: 'give one of them another name',
          },
        ]
  const routes = Object.entries(file.supervision?.on ?? {}).flatMap(([level, { to }]): Finding[] => {
    const path = ['supervision', 'on', level]
    if (!levels.includes(level))
      return [
        { path, atKey: true, message: `there is no level '${level}'`, fix: writeInstead(level, levels) },
      ]
    if (steps.includes(to)) return []
    const message = `level '${level}' leads to '${to}', which is no step of 'steps'`
    return [{ path: [...path, 'to'], message, fix: writeInstead(to, steps) }]
  })
  return [...doubled, ...routes]
}

/** What is put to somebody needs somebody. */
function gateFindings({ file }: Outline): Finding[] {
  if (file.supervision) return []
  return Object.entries(file.gates ?? {}).flatMap(([name, { judged }]) => {
    if (judged === undefined) return []
    const message = `gate '${name}' is judged, but nobody judges`
    return [{ path: ['gates', name, 'judged'], atKey: true, message, fix: "add 'supervision:' with a role" }]
  })
}

function verifyFindings({ step, path }: StepPlace, { file }: Outline): Finding[] {
  const gates = gatesOfFile(file)
  if (step.verify === undefined || gates.includes(step.verify)) return []
  const message = `'verify' of step '${step.id}' names '${step.verify}', which is not under 'gates'`
  const fix = gates.length === 0 ? `add '${step.verify}' under 'gates'` : writeInstead(step.verify, gates)
  return [{ path: [...path, 'verify'], message, fix }]
}

function phaseFindings({ step, path }: StepPlace, { file }: Outline): Finding[] {
  const phases = Object.keys(file.budget?.phases ?? {})
  if (step.phase === undefined || phases.includes(step.phase)) return []
  const message = `there is no phase '${step.phase}'`
  const fix =
    phases.length === 0 ? `add '${step.phase}' under 'budget.phases'` : writeInstead(step.phase, phases)
  return [{ path: [...path, 'phase'], message, fix }]
}

/** `every: true`: no answer of any role goes unjudged. */
function everyFindings({ step, path }: StepPlace, { file }: Outline): Finding[] {
  if (file.supervision?.every !== true || step.agent === undefined) return []
  if (judgedBy(file, step).length > 0) return []
  const judged = gatesOfFile(file).filter((name) => file.gates?.[name]?.judged !== undefined)
  const message = `step '${step.id}' has no gate that is judged, and 'supervision.every' asks for one`
  return [{ path, message, fix: `add 'gates: [${judged[0] ?? '<gate>'}]'` }]
}
