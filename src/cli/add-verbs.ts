import type { Command as Commander } from 'commander'
import type { Verb } from '../config/find-verbs.ts'
import type { Act, Command } from './command.ts'

/** The modes of the workflows, after the commands that are always there: those keep their names. */
export function addVerbs(program: Commander, verbs: readonly Verb[], act: Act): void {
  const taken = new Set(program.commands.map((command) => command.name()))
  for (const verb of verbs.filter(({ name }) => !taken.has(name))) addVerb(program, verb, act)
}

function addVerb(program: Commander, verb: Verb, act: Act): void {
  const about = verb.mode.description ?? `workflow '${verb.workflow}', from '${verb.mode.from}'`
  const command = program
    .command(verb.name)
    .argument('[words...]', wordsOf(verb))
    .usage(`[options] ${verb.takes.map((name) => `[${dashed(name)}]`).join(' ')}`.trim())
    .description(about)
    .option('--base <branch>', 'what the branch will be merged into')
    .option('--from <commit>', 'start elsewhere than at the base')
    .option('--provider <name>', 'who plays the roles')
    .option('--model <name>', 'which model')
    .option('--script <file>', 'what scripted agents do')
    .option('--deliver <how>', 'how the branch is handed over')
    .option('--time-limit <duration>', 'for this command: 30m, 2h')
    .option('--anyway', 'also where it is done already, or something comes before it')
  const known = new Set(command.options.map(({ long }) => long))
  for (const [name, { description, options, list }] of Object.entries(verb.inputs)) {
    const flag = `--${dashed(name)}`
    if (known.has(flag)) continue
    const words = [description, (options ?? []).join(', ')].filter(Boolean).join(': ')
    if (list) command.option(`${flag} <value>`, words, joined)
    else command.option(`${flag} <value>`, words)
  }
  command
    .addHelpText('after', `\nExample:\n  baton ${verb.name} ${exampleOf(verb)}`.trimEnd())
    .action(
      act(async (opened: Command, words: string[], flags: Record<string, unknown>) =>
        (await import('./commands/verb.ts')).doVerb(opened, verb, { words, flags }),
      ),
    )
}

/** A list may be given by repeating its flag. */
function joined(value: string, before: string | undefined): string {
  return before === undefined ? value : `${before},${value}`
}

function wordsOf({ takes, inputs }: Verb): string {
  return takes.map((name) => `${dashed(name)}${bracketed(inputs[name]?.description)}`).join('; ')
}

function bracketed(description: string | undefined): string {
  return description === undefined || description === '' ? '' : ` (${description})`
}

/** Something to type as it stands, for inputs whose names say what they are. */
const samples: Readonly<Record<string, string>> = {
  task: '"The total is wrong when a discount is applied twice"',
  goal: '"Every function of src has a test"',
  description: '"Round the total to whole cents"',
  change_id: 'round-total',
}

function exampleOf({ takes }: Verb): string {
  return takes.map((name) => (Object.hasOwn(samples, name) ? samples[name] : `<${dashed(name)}>`)).join(' ')
}

function dashed(name: string): string {
  return name.replaceAll('_', '-')
}
