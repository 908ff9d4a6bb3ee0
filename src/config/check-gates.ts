import { isJsonObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import type { GateShape } from '../model/workflow.ts'
import { writeInstead } from './nearest.ts'
import { definitionOf, gatesOfFile, normalizeGate } from './file-gates.ts'
import type { NamedGate } from './file-gates.ts'
import type { Outline, StepPlace } from './outline.ts'
import type { Finding } from './problems.ts'
import type { Vocabulary } from './vocabulary.ts'

/** The gates of a step: that they exist, that the step has what they judge, and what they are given. */
export function gateFindings(place: StepPlace, outline: Outline, { gates }: Vocabulary): Finding[] {
  const { step, path } = place
  if (step.gates !== undefined && step.agent === undefined && step.do === undefined) {
    const message = `'gates' of step '${step.id}' is only for 'agent' and 'do' steps`
    return [{ path: [...path, 'gates'], atKey: true, message, fix: "remove 'gates'" }]
  }
  const named = (step.gates ?? []).map((gate, index): Written => ({ gate, path: [...path, 'gates', index] }))
  const verified = step.verify === undefined ? [] : conditionsOf(outline, step.verify)
  const written = named.flatMap((one) => {
    const { name } = normalizeGate(one.gate)
    return definitionOf(outline.file, name) ? conditionsOf(outline, name) : [one]
  })
  return [...written, ...verified].flatMap(({ gate, path: at }) =>
    problemsOf({ gate, gates, place, outline }).map((problem) => ({ path: at, ...problem })),
  )
}

/** A gate, and where it is written: on the step, or among the conditions of a gate of the file. */
interface Written {
  readonly gate: NamedGate
  readonly path: Finding['path']
}

function conditionsOf({ file }: Outline, name: string): Written[] {
  const conditions = definitionOf(file, name)?.conditions ?? []
  return conditions.map((gate, index) => ({ gate, path: ['gates', name, 'conditions', index] }))
}

interface Question {
  readonly gate: NamedGate
  readonly gates: Vocabulary['gates']
  readonly place: StepPlace
  readonly outline: Outline
}

function problemsOf({ gate, gates, place, outline }: Question): Problem[] {
  const { name, parameters, when } = normalizeGate(gate)
  const shape = Object.hasOwn(gates, name) ? gates[name] : undefined
  if (!shape) {
    const known = [...Object.keys(gates), ...gatesOfFile(outline.file)]
    return [{ message: `unknown gate '${name}'`, fix: writeInstead(name, known) }]
  }
  const isBare = when !== undefined && isEmpty(parameters[name])
  const isGiven = typeof gate !== 'string' && !isBare && shape.options.length === 0
  const given: Given = { name, shape, isGiven, value: parameters[name], keys: Object.keys(parameters) }
  return [...kindProblems(place, given), ...parameterProblems(given, outline)]
}

/** `{ tests_pass: {}, when: ... }`: a map only for the sake of its condition. */
function isEmpty(value: Json | undefined): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
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
    case 'step':
      return stepProblems(name, value, outline)
    case 'number':
    case 'field':
    case 'fields':
    case 'list':
      return isOfKind[shape.takes](value) ? [] : [wrongValue(name, shape.takes)]
  }
}

type ValueKind = 'number' | 'field' | 'fields' | 'list'

const isOfKind: Readonly<Record<ValueKind, (value: Json | undefined) => boolean>> = {
  number: (value) => typeof value === 'number',
  field: (value) => value === undefined || typeof value === 'string',
  fields: (value) => isJsonObject(value),
  list: (value) => Array.isArray(value) || (typeof value === 'string' && /^\{[\w.]+\}$/.test(value)),
}

function wrongValue(name: string, kind: ValueKind): Problem {
  const [what, example] = {
    number: ['a number', '70'],
    field: ['a field of the answer', 'tasks'],
    fields: ['fields with their values', '{ passed: true }'],
    list: ['a list, or a variable that is one', '"{item.artifacts}"'],
  }[kind] as [string, string]
  return { message: `gate '${name}' needs ${what}`, fix: `write '{ ${name}: ${example} }'` }
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
