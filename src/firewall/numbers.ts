import { forEachChild } from 'unbash'
import type { ArithmeticBinary, Assignment, SyntaxNode, TestBinaryExpression, Word } from 'unbash'

/**
 * Bash calculates with what a variable holds, and a value such as `a[$(command)]` makes it run the command.
 * So a program may calculate only with variables that can hold nothing but numbers.
 */
export type Numbers = ReadonlySet<string>

/** The variables that are given whole numbers and nothing else, anywhere in the program. */
export function numbersIn(script: SyntaxNode): Numbers {
  const numeric = new Set<string>()
  const others = new Set<string>()
  const visit = (node: SyntaxNode): void => {
    for (const [name, isNumber] of givenBy(node)) (isNumber ? numeric : others).add(name)
    forEachChild(node, visit)
  }
  visit(script)
  return new Set([...numeric].filter((name) => !others.has(name)))
}

/** Whether a node, if it calculates at all, does so with numbers only. */
export function isNumericNode(node: SyntaxNode, numbers: Numbers): boolean {
  switch (node.type) {
    case 'ArithmeticExpansion':
    case 'ArithmeticCommand':
      return node.expression !== undefined
    case 'ArithmeticWord':
      return isNumeric(node.value, numbers)
    case 'ArithmeticCommandExpansion':
      return false
    case 'ParameterExpansion':
    case 'Assignment':
      return isSubscript(node.index, numbers)
    case 'Slice':
      return [node.offset, node.length].every((word) => isNumeric(textOf(word), numbers))
    case 'TestBinary':
      return isComparison(node, numbers)
    default:
      return true
  }
}

function textOf(word: Word | undefined): string {
  return word?.value ?? '0'
}

function isComparison({ operator, left, right }: TestBinaryExpression, numbers: Numbers): boolean {
  if (!comparesNumbers.test(operator)) return true
  return isNumeric(left.value, numbers) && isNumeric(right.value, numbers)
}

const comparesNumbers = /^-(eq|ne|lt|le|gt|ge)$/

function isSubscript(word: Word | undefined, numbers: Numbers): boolean {
  return word === undefined || ['@', '*'].includes(word.text) || isNumeric(word.value, numbers)
}

function isNumeric(value: string, numbers: Numbers): boolean {
  const text = value.trim()
  if (/^-?\d+$/.test(text) || /^\$[?#]$/.test(text) || /^\$\{#\w+\}$/.test(text)) return true
  const name = /^\$?([A-Za-z_]\w*)$|^\$\{([A-Za-z_]\w*)\}$/.exec(text)
  return numbers.has(name?.[1] ?? name?.[2] ?? '')
}

/** Names that a node gives values to, and whether each value is a number. */
function givenBy(node: SyntaxNode): readonly Given[] {
  switch (node.type) {
    case 'Assignment':
      return [[node.name, isNumberGiven(node)]]
    case 'For':
      return [[node.name.value, areNumbers(node.wordlist)]]
    case 'Select':
      return [[node.name.value, false]]
    case 'ArithmeticBinary':
      return givenByCalculating(node)
    case 'Command':
      return node.name ? namesInArguments(node.name.value, node.args) : []
    case 'ParameterExpansion':
      return node.operation?.type === 'Default' ? [[node.parameter, false]] : []
    default:
      return []
  }
}

type Given = readonly [name: string, isNumber: boolean]

function givenByCalculating({ operator, left }: ArithmeticBinary): readonly Given[] {
  return operator === '=' && left.type === 'ArithmeticWord' ? [[left.value, true]] : []
}

function areNumbers(words: readonly Word[] | undefined): boolean {
  return words?.every(isNumberWord) === true
}

function isNumberGiven({ value, index }: Assignment): boolean {
  return index === undefined && value.type === 'Word' && isNumberWord(value)
}

function isNumberWord({ value, parts = [] }: Word): boolean {
  if (/^-?\d+$/.test(value)) return true
  const [only, ...more] = parts
  if (!only || more.length > 0) return false
  if (only.type === 'ArithmeticExpansion') return true
  return (only.type === 'BraceExpansion' && /^\{\d+\.\.\d+\}$/.test(only.text)) || /^\$\{#\w+\}$/.test(value)
}

/** `read x`, `printf -v x`, `mapfile x`: whatever a command could put into a variable that it names. */
function namesInArguments(command: string, args: readonly SyntaxNode[]): readonly Given[] {
  if (!/^(read|printf|mapfile|readarray|getopts|wait|builtin|command)$/.test(command)) return []
  return args.flatMap((arg) => (arg.type === 'Word' ? [[arg.value, false] as const] : []))
}
