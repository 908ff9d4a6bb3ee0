// One word in the many ways in which a shell can be told it.
import type { Dice } from './dice.ts'

/** What has to stand before the command, and what stands in it. */
export interface Written {
  readonly before: readonly string[]
  readonly text: string
}

type Way = (word: string, dice: Dice) => Written

const alone = (text: string): Written => ({ before: [], text })

const quoted: readonly [Way, ...Way[]] = [
  (word) => alone(`'${word}'`),
  (word) => alone(`"${word}"`),
  (word) => alone(`$'${word}'`),
  (word) => alone(`$"${word}"`),
  (word, dice) => alone(between(word, dice, "''")),
  (word, dice) => alone(between(word, dice, '""')),
  (word, dice) => alone(between(word, dice, '\\')),
  (word, dice) => alone(between(word, dice, '\\\n')),
  (word, dice) => alone(between(word, dice, '$nil')),
  (word, dice) => alone(between(word, dice, '"$@"')),
  (word, dice) => alone(between(word, dice, '$*')),
  (word) =>
    alone(
      `$'${word
        .split('')
        .map((letter) => String.raw`\x${hex(letter)}`)
        .join('')}'`,
    ),
  (word) =>
    alone(
      `$'${word
        .split('')
        .map((letter) => String.raw`\u00${hex(letter)}`)
        .join('')}'`,
    ),
  (word) =>
    alone(
      `$'${word
        .split('')
        .map((letter) => `\\${letter.charCodeAt(0).toString(8)}`)
        .join('')}'`,
    ),
]

const expanded: readonly [Way, ...Way[]] = [
  (word, dice) => named(word, dice, (name) => `$${name}`),
  (word, dice) => named(word, dice, (name) => `"\${${name}}"`),
  (word, dice) => named(`${word}x`, dice, (name) => `\${${name}%x}`),
  (word, dice) => named(`x${word}`, dice, (name) => `\${${name}#x}`),
  (word, dice) => named(`${word}x`, dice, (name) => `\${${name}/x/}`),
  (word, dice) => named(`x${word}`, dice, (name) => `\${${name}:1}`),
  (word, dice) => named(word.toUpperCase(), dice, (name) => `\${${name},,}`),
  (word, dice) => named(word, dice, (name) => `\${${name}@P}`),
  (word) => alone(`\${nil:-${word}}`),
  (word, dice) => alone(`\${v${dice.fresh()}:=${word}}`),
  (word) => alone(`\${PWD:+${word}}`),
  (word) => alone(`$(echo ${word})`),
  (word) => alone(`\`echo ${word}\``),
  (word) => alone(`"$(printf %s ${word})"`),
  (word) => alone(`$(cat <<<${word})`),
  (word) => alone(`{${word},}`),
  (word) => alone(`$(rev <<<${word.split('').toReversed().join('')})`),
  (word, dice) => indirect(word, dice),
  (word, dice) => inList(word, dice),
  (word, dice) => fromRead(word, dice),
]

export function writeWord(word: string, dice: Dice): Written {
  if (!/^[a-z]/.test(word) || dice.chance(0.45)) return alone(safely(word))
  return dice.chance(0.5) ? dice.one(quoted)(word, dice) : dice.one(expanded)(word, dice)
}

/** Another way to say the same program. */
export function writeProgram(dice: Dice): string {
  return dice.one(['/usr/bin/git', '/bin/git', '/usr/bin/gi?', '/usr/bin/g[i]t', '/usr/lib/git-core/git'])
}

function safely(word: string): string {
  return /^[\w./=:@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

function between(word: string, dice: Dice, what: string): string {
  const at = dice.below(word.length)
  return word.slice(0, at) + what + word.slice(at)
}

function hex(letter: string): string {
  return letter.charCodeAt(0).toString(16).padStart(2, '0')
}

function named(word: string, dice: Dice, use: (name: string) => string): Written {
  const name = `v${dice.fresh()}`
  return { before: [`${name}=${safely(word)}`], text: use(name) }
}

function indirect(word: string, dice: Dice): Written {
  const name = `v${dice.fresh()}`
  return { before: [`${name}=${safely(word)} p${name}=${name}`], text: `\${!p${name}}` }
}

function inList(word: string, dice: Dice): Written {
  const name = `v${dice.fresh()}`
  return { before: [`${name}=(${safely(word)})`], text: dice.one([`"\${${name}[@]}"`, `\${${name}[0]}`]) }
}

function fromRead(word: string, dice: Dice): Written {
  const name = `v${dice.fresh()}`
  const way = dice.one([
    `read -r ${name} <<<${safely(word)}`,
    `printf -v ${name} %s ${safely(word)}`,
    `declare ${name}=${safely(word)}`,
    `export ${name}=${safely(word)}`,
  ])
  return { before: [way], text: `$${name}` }
}
