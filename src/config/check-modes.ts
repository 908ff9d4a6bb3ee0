import { nearest, writeInstead } from './nearest.ts'
import type { Outline } from './outline.ts'
import type { Finding } from './problems.ts'

/** A mode begins at a step of the top list, and stops at the same step or a later one. */
export function checkModes(outline: Outline): Finding[] {
  const { file } = outline
  const steps = file.steps.map(({ id }) => id)
  return [
    ...Object.entries(file.modes ?? {}).flatMap(([name, mode]) => {
      const path = ['modes', name]
      if (typeof mode === 'string')
        return stepFindings({ name, says: 'begins at', step: mode }, steps).map((found) => ({
          path,
          ...found,
        }))
      const to = mode.to ?? mode.from
      const found = [
        ...stepFindings({ name, says: 'begins at', step: mode.from }, steps).map((from) => ({
          path: [...path, 'from'],
          ...from,
        })),
        ...stepFindings({ name, says: 'stops after', step: to }, steps).map((last) => ({
          path: [...path, 'to'],
          ...last,
        })),
      ]
      if (found.length > 0 || steps.indexOf(to) >= steps.indexOf(mode.from)) return found
      const message = `mode '${name}' stops after '${to}', which comes before '${mode.from}'`
      return [{ path: [...path, 'to'], message, fix: `write '${mode.from}' or a later step` }]
    }),
    ...modeInputFindings(outline),
  ]
}

interface ModeEnd {
  readonly name: string
  readonly says: string
  readonly step: string
}

function stepFindings(
  { name, says, step }: ModeEnd,
  steps: readonly string[],
): Pick<Finding, 'message' | 'fix'>[] {
  if (steps.includes(step)) return []
  return [
    {
      message: `mode '${name}' ${says} '${step}', which is no step of 'steps'`,
      fix: writeInstead(step, steps),
    },
  ]
}

/** An input called `mode` chooses among the modes, so it may offer nothing else. */
function modeInputFindings({ file }: Outline): Finding[] {
  const modes = Object.keys(file.modes ?? {})
  const options = file.inputs?.['mode']?.options ?? []
  if (modes.length === 0) return []
  return options.flatMap((option, index) => {
    if (modes.includes(option)) return []
    const close = nearest(option, modes)
    const fix = close === undefined ? `add '${option}' under 'modes'` : `write '${close}'`
    return [{ path: ['inputs', 'mode', 'options', index], message: `there is no mode '${option}'`, fix }]
  })
}
