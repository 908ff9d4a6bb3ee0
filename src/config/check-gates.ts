import type { Json } from '../model/json.ts'
import type { GateShape } from '../model/workflow.ts'
import { writeInstead } from './nearest.ts'
import { normalizeGate } from './normalize-step.ts'
import type { Outline, StepPlace } from './outline.ts'
import type { Finding } from './problems.ts'
import type { Vocabulary } from './vocabulary.ts'

/** The gates of a step: that they exist, that the step has what they judge, and what they are given. */
export function gateFindings(place: StepPlace, outline: Outline, { gates }: Vocabulary): Finding[] {
  const { step, path } = place
  if (step.gates === undefined) return []
  if (step.agent === undefined && step.do === undefined) {
    const message = `'gates' of step '${step.id}' is only for 'agent' and 'do' steps`
    return [{ path: [...path, 'gates'], atKey: true, message, fix: "remove 'gates'" }]
  }
  return step.gates.flatMap((gate, index) => {
    const { name, parameters } = normalizeGate(gate)
    const shape = Object.hasOwn(gates, name) ? gates[name] : undefined
    const at = { path: [...path, 'gates', index] }
    if (!shape) {
      return [{ ...at, message: `unknown gate '${name}'`, fix: writeInstead(name, Object.keys(gates)) }]
    }
    const isGiven = typeof gate !== 'string'
    const given: Given = { name, shape, isGiven, value: parameters[name], keys: Object.keys(parameters) }
    return [...kindProblems(place, given), ...parameterProblems(given, outline)].map((problem) => ({
      ...at,
      ...problem,
    }))
  })
}

interface Given {
  readonly name: string
  readonly shape: GateShape
  /** Written as a map. */
  readonly isGiven: boolean
  readonly value: Json | undefined
  readonly keys: readonly string[]
}

type Problem = Pick<Finding, 'message' | 'fix'>

function kindProblems({ step }: StepPlace, { name, shape }: Given): Problem[] {
  if (!shape.agentOnly || step.agent !== undefined) return []
  const message = `gate '${name}' judges what an agent did, and step '${step.id}' has no agent`
  return [{ message, fix: `remove '${name}'` }]
}

function parameterProblems({ name, shape, isGiven, value, keys }: Given, outline: Outline): Problem[] {
  const strange = keys.find((key) => key !== name && !shape.options.includes(key))
  if (strange !== undefined) {
    return [{ message: `gate '${name}' does not take '${strange}'`, fix: `remove '${strange}'` }]
  }
  switch (shape.takes) {
    case 'nothing':
      return isGiven ? [{ message: `gate '${name}' takes no value`, fix: `write '${name}'` }] : []
    case 'number':
      return typeof value === 'number'
        ? []
        : [{ message: `gate '${name}' needs a number`, fix: `write '{ ${name}: 70 }'` }]
    case 'text':
      return typeof value === 'string' && value !== ''
        ? []
        : [{ message: `gate '${name}' needs the end of a path`, fix: `write '{ ${name}: tasks.md }'` }]
    case 'step':
      return stepProblems(name, value, outline)
  }
}

/** The step with the plan has to leave it in a file. */
function stepProblems(name: string, value: Json | undefined, { steps }: Outline): Problem[] {
  const planners = steps.filter(({ step }) => step.writes !== undefined).map(({ step }) => step.id)
  const write = (id: string): string => `'{ ${name}: ${id} }'`
  if (typeof value !== 'string') {
    const fix = `write ${write(planners[0] ?? '<step>')}`
    return [{ message: `gate '${name}' needs the step that wrote the plan`, fix }]
  }
  if (planners.includes(value)) return []
  const isStep = steps.some(({ step }) => step.id === value)
  const message = `gate '${name}' names '${value}', which ${isStep ? 'writes no file' : 'is no step'}`
  return [{ message, fix: writeInstead(value, planners, write) }]
}
