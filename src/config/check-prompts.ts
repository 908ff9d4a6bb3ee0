import { stepVariables } from '../model/built-in-names.ts'
import { placedVariables } from '../model/template.ts'
import { instead, namesOf, writtenNames } from './check-variables.ts'
import type { LoadedPrompt } from './loaded-workflow.ts'
import { writtenRole } from './normalize-role.ts'
import { hasItem } from './outline.ts'
import type { Outline, StepPlace } from './outline.ts'
import type { Problem } from './problems.ts'
import { positionInText } from './yaml-document.ts'

/** The variables of a prompt that can have no value where it is used, each with its first place in the prompt's own file. */
export function checkPrompt(outline: Outline, name: string, { path, text }: LoadedPrompt): Problem[] {
  const users = outline.steps.filter((place) => usesPrompt(outline, place, name))
  const seen = new Map(placedVariables(text).toReversed())
  return [...seen].flatMap(([variable, index]) => {
    const words = unknownWords(outline, variable) ?? wordsFor(outline, users, variable)
    return words ? [{ file: path, ...positionInText(text, index), ...words }] : []
  })
}

type Words = Pick<Problem, 'message' | 'fix'>

function usesPrompt({ file }: Outline, { step }: StepPlace, name: string): boolean {
  if (step.agent === undefined) return false
  const { prompt, system } = writtenRole(file, step.agent, step)
  return prompt === name || system === name
}

function unknownWords(outline: Outline, variable: string): Words | undefined {
  const names = namesOf(outline)
  if (names.includes(rootOf(variable))) return undefined
  return {
    message: `unknown variable '{${variable}}'`,
    fix: `${instead(variable, names)}, or '{{${variable}}}' for the braces themselves`,
  }
}

/** What an input, a path or a step is called has a value wherever it is used, or will have one in another round. */
function wordsFor(outline: Outline, users: readonly StepPlace[], variable: string): Words | undefined {
  const root = rootOf(variable)
  if (writtenNames(outline).includes(root)) return undefined
  if (root === 'item') return itemWords(users, variable)
  const [user] = users
  if (!user || !(onlyLater as readonly string[]).includes(root)) return undefined
  return {
    message: `'{${variable}}' has no value in the prompt of step '${user.step.id}', which has not ended there`,
    fix: ofAnotherStep(outline, user, variable),
  }
}

function itemWords(users: readonly StepPlace[], variable: string): Words | undefined {
  const user = users.find((place) => !hasItem(place))
  if (!user) return undefined
  return {
    message: `there is no '{item}' outside 'each', where step '${user.step.id}' uses this prompt`,
    fix: `remove '{${variable}}', or write '{{${variable}}}' for the braces themselves`,
  }
}

/** Known when the step has ended, or only to the supervision; the two last of the others are there where `with` asks for them. */
const onlyLater = stepVariables.filter(
  (name) =>
    !['step', 'role', 'n', 'iteration', 'feedback', 'item', 'repo_summary', 'context_files'].includes(name),
)

const ofResults = ['writes', 'commit', 'reason', 'label', 'outcome']

function ofAnotherStep({ steps }: Outline, { step }: StepPlace, variable: string): string {
  const [root = '', ...rest] = variable.split('.')
  const field = root === 'answer' ? rest.join('.') : root
  const others = steps.filter((other) => other.step.agent !== undefined && other.step.id !== step.id)
  const [first, second] = others.map((other) => other.step.id)
  if (first === undefined || field === '' || !(root === 'answer' || ofResults.includes(root)))
    return `remove '{${variable}}', or write '{{${variable}}}' for the braces themselves`
  return second === undefined
    ? `name the step that is meant: '{${first}.${field}}'`
    : `name the step that is meant, for example '{${first}.${field}}'`
}

function rootOf(variable: string): string {
  return variable.split('.')[0] ?? ''
}
