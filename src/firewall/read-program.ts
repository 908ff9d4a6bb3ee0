import { forEachChild, parse } from 'unbash'
import type {
  Assignment,
  Command,
  ParameterExpansionPart,
  ParseError,
  Redirect,
  SyntaxNode,
  Word,
} from 'unbash'
import { isSameInAnyShell } from './any-shell.ts'
import { isNumericNode, numbersIn } from './numbers.ts'
import { notUnderstood } from './objection.ts'
import type { Objection } from './objection.ts'
import { variableObjection } from './variables.ts'
import { argOf, unknownArg } from './words.ts'
import type { Arg } from './words.ts'

/** One command that a shell program may run, wherever in it that stands. */
export interface ShellCommand {
  readonly name: Arg
  readonly args: readonly Arg[]
}

export interface Program {
  readonly commands: readonly ShellCommand[]
  /** Files that redirections write and read. */
  readonly writes: readonly Arg[]
  readonly reads: readonly Arg[]
  /** Here-documents and here-strings: what commands are fed with. */
  readonly texts: readonly string[]
  readonly objections: readonly Objection[]
}

/** `sh` is bash here and dash there: what is meant for any of them may say only what all of them take the same way. */
export type Dialect = 'bash' | 'any'

const longest = 64 * 1024
const mostCommands = 200

/** Everything that a shell program may do, or why that cannot be said. */
export function readProgram(source: string, dialect: Dialect = 'bash'): Program {
  const early = beforeParsing(source)
  if (early) return { ...nothing(), objections: [early] }
  const found = nothing()
  const script = parse(source)
  const numbers = numbersIn(script)
  const visit = (node: SyntaxNode): void => {
    if (found.objections.length > 0) return
    const objection =
      dialectObjection(node, dialect) ??
      lookAt(node, found) ??
      (isNumericNode(node, numbers) ? undefined : arithmetic)
    if (objection) found.objections.push(objection)
    else forEachChild(node, visit)
  }
  visit(script)
  if (found.commands.length > mostCommands) found.objections.push(notUnderstood('a program of this length'))
  return found
}

const arithmetic = {
  rule: 'shell:arithmetic',
  why: 'the shell runs commands that stand in a variable it calculates with; calculate with plain numbers only',
}

function dialectObjection(node: SyntaxNode, dialect: Dialect): Objection | undefined {
  if (dialect === 'bash' || isSameInAnyShell(node)) return undefined
  return notUnderstood('what only bash has, given to sh (bash -c can be)')
}

function beforeParsing(source: string): Objection | undefined {
  if (source.length > longest) return notUnderstood('a program of this length')
  if (strangeSpace.test(source))
    return notUnderstood('a program with control characters or look-alike spaces')
  return undefined
}

// Control characters but tab and newline, and what looks like a space or like nothing at all.
const strangeSpace =
  // oxlint-disable-next-line no-control-regex -- these are the characters it is about
  /[\0-\u0008\u000B-\u001F\u007F\u0085\u00A0\u1680\u2000-\u200F\u2028-\u202F\u205F-\u2064\u3000\uFEFF]/

interface Found extends Program {
  readonly commands: ShellCommand[]
  readonly writes: Arg[]
  readonly reads: Arg[]
  readonly texts: string[]
  readonly objections: Objection[]
}

function nothing(): Found {
  return { commands: [], writes: [], reads: [], texts: [], objections: [] }
}

function lookAt(node: SyntaxNode, found: Found): Objection | undefined {
  switch (node.type) {
    case 'Script':
      return scriptObjection(node.errors)
    case 'Command':
      return noteCommand(node, found)
    case 'Redirect':
      return noteRedirect(node, found)
    case 'Assignment':
      return assignmentObjection(node)
    case 'For':
    case 'Select':
      return variableObjection(node.name.value, unknownArg(''))
    case 'Function':
      return functionObjection(argOf(node.name))
    default:
      return lookAtPart(node, found)
  }
}

function lookAtPart(node: SyntaxNode, found: Found): Objection | undefined {
  switch (node.type) {
    case 'HereDoc':
      found.texts.push(node.body.text)
      return undefined
    case 'HereString':
      found.texts.push(textOf(node.target))
      return undefined
    case 'FileDescriptorVariable':
      return variableObjection(node.name, unknownArg(''))
    case 'ParameterExpansion':
      return expansionObjection(node)
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      return node.script ? undefined : notUnderstood(node.text)
    case 'TestUnary':
      return testObjection(node.operator)
    default:
      return undefined
  }
}

function scriptObjection(errors: readonly ParseError[] = []): Objection | undefined {
  return errors[0] && notUnderstood(`this shell program (${errors[0].message})`)
}

function assignmentObjection({ name, value }: Assignment): Objection | undefined {
  return variableObjection(name, value.type === 'Word' ? argOf(value) : unknownArg('()'))
}

function textOf(word: Word | undefined): string {
  return word?.value ?? ''
}

/** Both look into an array, and calculate its subscript. */
function testObjection(operator: string): Objection | undefined {
  return ['-v', '-R'].includes(operator) ? notUnderstood(`[[ ${operator} ]]`) : undefined
}

function noteCommand(command: Command, found: Found): Objection | undefined {
  if (!command.name) return undefined
  found.commands.push({ name: argOf(command.name), args: command.args.map(argOf) })
  return undefined
}

/** `2>&1` and `<&-` move descriptors about; everything else names a file. */
function noteRedirect({ operator, target }: Redirect, found: Found): Objection | undefined {
  if (!target) return notUnderstood('a redirection to nowhere')
  const arg = argOf(target)
  if (operator.endsWith('&') && /^(\d+-?|-)$/.test(arg.value ?? '')) return undefined
  if (operator === '<&') return notUnderstood(`<&${arg.source}`)
  if (operator === '<') found.reads.push(arg)
  else found.writes.push(arg)
  return undefined
}

function functionObjection(name: Arg): Objection | undefined {
  // A name of its own: a function `git` or `cd` would make the commands below it mean something else.
  if (name.value !== undefined && /^_?[a-z]+(_[a-z0-9]+)+$/i.test(name.value)) return undefined
  return {
    rule: 'shell:function',
    why: `a function named ${name.source} could stand in for a command; give it a name with an underscore, such as my_${name.value ?? 'function'}`,
  }
}

function expansionObjection({
  prefix,
  operation,
  parameter,
  text,
}: ParameterExpansionPart): Objection | undefined {
  if (prefix === '!') return notUnderstood(`the indirect expansion ${text}`)
  if (operation?.type === 'Unknown') return notUnderstood(text)
  if (operation?.type === 'Transform' && !/^[QULuE]$/.test(operation.operand.value)) {
    return notUnderstood(`the expansion ${text}`)
  }
  if (operation?.type === 'Default' && operation.operator.endsWith('=')) {
    return variableObjection(parameter, argOf(operation.operand))
  }
  return undefined
}
