import { isUselessLimit, parseDuration, timeLimitHint } from '../model/duration.ts'
import type { InputSpec } from '../model/workflow.ts'
import type { InputFile } from '../model/workflow-file.ts'
import { writeInstead } from './nearest.ts'
import { normalizeInput } from './normalize-workflow.ts'
import type { Outline, StepPlace } from './outline.ts'
import type { Finding, Path } from './problems.ts'

/** A default must be what the input would accept from a person, and a condition what it can be. */
export function checkInputs(outline: Outline): Finding[] {
  return [...inputFindings(outline), ...outline.steps.flatMap((place) => conditionFindings(place, outline))]
}

/** A step whose condition no value can meet would be passed over for ever, and silently. */
function conditionFindings({ step, path }: StepPlace, { file, steps }: Outline): Finding[] {
  return Object.entries(step.when ?? {}).flatMap(([name, wanted]) => {
    const { options } = file.inputs?.[name] ?? {}
    // What a step sets need not be an option.
    if (!options || steps.some((other) => Object.hasOwn(other.step.sets ?? {}, name))) return []
    const never = [wanted].flat().find((value) => value !== '' && !options.includes(String(value)))
    if (never === undefined) return []
    const message = `'when' of step '${step.id}' asks whether '${name}' is '${never}', which it cannot be`
    return [{ path: [...path, 'when', name], message, fix: writeInstead(String(never), options) }]
  })
}

function inputFindings({ file }: Outline): Finding[] {
  return Object.entries(file.inputs ?? {}).flatMap(([name, input]) => {
    const path = ['inputs', name]
    const pattern = patternFindings(name, input.pattern).map((found) => ({
      path: [...path, 'pattern'],
      ...found,
    }))
    if (pattern.length > 0 || input.default === undefined) return pattern
    return defaultFindings(name, input, [...path, 'default'])
  })
}

function patternFindings(name: string, pattern: string | undefined): Pick<Finding, 'message' | 'fix'>[] {
  if (pattern === undefined || compiled(pattern)) return []
  const fix = 'write a regular expression such as "^[a-z0-9-]+$"'
  return [{ message: `the pattern of input '${name}' is not a regular expression`, fix }]
}

function compiled(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, 'u')
  } catch {
    // Not a regular expression: that is the answer.
    return undefined
  }
}

function defaultFindings(name: string, input: InputFile, path: Path): Finding[] {
  const { default: value } = input
  const isList = Array.isArray(value)
  if (isList !== (input.list ?? false)) {
    const wanted = isList ? 'one value, because the input is no list' : 'a list, because the input is one'
    return [
      {
        path,
        message: `the default of input '${name}' must be ${wanted}`,
        fix: isList ? "add 'list: true'" : 'write [...]',
      },
    ]
  }
  return [value].flat().flatMap((one) =>
    valueFindings(String(one), normalizeInput(input)).map((fix) => ({
      path,
      message: `the default '${one}' of input '${name}' is not a value that it accepts`,
      fix,
    })),
  )
}

/** What to write instead, for a value that an input would not accept; empty for one that it would. */
export function valueFindings(
  value: string,
  input: Pick<InputSpec, 'options' | 'pattern' | 'type'>,
): string[] {
  const { options, pattern, type } = input
  if (options && !options.includes(value)) return [writeInstead(value, options)]
  if (pattern !== undefined && !compiled(pattern)?.test(value)) return [`write text that matches ${pattern}`]
  return isOfType(value, type) ? [] : [typeFixes[type]]
}

const typeFixes = {
  text: 'write text',
  number: 'write a number',
  duration: `write ${timeLimitHint}`,
}

function isOfType(value: string, type: InputSpec['type']): boolean {
  switch (type) {
    case 'text':
      return true
    case 'number':
      return value.trim() !== '' && Number.isFinite(Number(value))
    case 'duration':
      return parseDuration(value) !== undefined && !isUselessLimit(value)
  }
}
