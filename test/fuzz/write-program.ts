// Shell programs that may or may not end in a call of git. No loop, no background job, nothing that calls itself: each
// function, file and variable has a name of its own.
import type { Dice } from './dice.ts'
import { forbiddenCalls, harmlessCalls } from './git-calls.ts'
import { commandWrappers } from './wrap-command.ts'
import { programWrappers } from './wrap-program.ts'
import { writeProgram, writeWord } from './write-word.ts'
import type { Written } from './write-word.ts'

const deepest = 3

export function shellProgram(dice: Dice): string {
  const program = nested(dice, dice.below(deepest + 1))
  return dice.chance(0.2) ? damaged(program, dice) : program
}

function nested(dice: Dice, depth: number): string {
  if (depth === 0) return statement(dice)
  const wrapped = dice.one(programWrappers)(nested(dice, depth - 1), dice)
  return dice.chance(0.2) ? joined(dice, wrapped) : wrapped
}

function joined(dice: Dice, program: string): string {
  const between = dice.one([' ; ', ' && ', '\n', ' || ', ' | ', ' ;\n'])
  const other = dice.one(['true', 'echo x', ': git push', 'cat a.txt', '[ -f a.txt ]', '# git push\n', 'ls'])
  return dice.chance(0.5) ? `${other}${between}${program}` : `${program}${between}${other}`
}

function statement(dice: Dice): string {
  let command = gitCommand(dice)
  for (let times = dice.below(3); times > 0; times--) {
    command = { ...command, text: dice.one(commandWrappers)(command.text, dice) }
  }
  const { before, text } = withRedirect(command, dice)
  const start = before.length === 0 ? '' : `${before.join('; ')}${dice.one(['; ', '\n', ' && '])}`
  return start + dice.one(['', '', '', '', '', 'A=1 ', '! ', 'time ', 'nil= '] as const) + text
}

function gitCommand(dice: Dice): Written {
  const words = dice.one(dice.chance(0.75) ? forbiddenCalls : harmlessCalls).split(' ')
  const program = dice.chance(0.1) ? { before: [], text: writeProgram(dice) } : writeWord('git', dice)
  // Only the first word decides; the others would soon be all unknown.
  const rest = words.map((word, at) => (at < 2 ? writeWord(word, dice) : { before: [], text: word }))
  const all = [program, ...rest]
  return {
    before: all.flatMap(({ before }) => before),
    text: all.map(({ text }) => text).join(dice.one([' ', ' ', ' ', '  ', '\t', ' \\\n '])),
  }
}

function withRedirect({ before, text }: Written, dice: Dice): Written {
  if (!dice.chance(0.2)) return { before, text }
  const redirect = dice.one(['>/dev/null', '2>&1', '</dev/null', `>f${dice.fresh()}`, '&>/dev/null', '3>&1'])
  const words = text.split(' ')
  const at = dice.below(words.length + 1)
  return { before, text: [...words.slice(0, at), redirect, ...words.slice(at)].join(' ') }
}

const signs = '\'"`$(){}[]<>|;\\ \n\t#!=~*?,@:-'

/** One or two characters more, less, or twice: where parsers part from bash. */
function damaged(program: string, dice: Dice): string {
  let text = program
  for (let times = 1 + dice.below(2); times > 0; times--) {
    const at = dice.below(text.length)
    const more = signs.charAt(dice.below(signs.length))
    const kept = dice.one([
      text.slice(at),
      text.slice(at + 1),
      more + text.slice(at),
      more + text.slice(at + 1),
    ])
    text = text.slice(0, at) + kept
  }
  return text
}
