import type { Command as Commander } from 'commander'
import type { Verb } from '../config/find-verbs.ts'
import { identifierOf } from '../model/stretch.ts'
import type { Act, Command } from './command.ts'
import type { TypedVerb } from './typed-inputs.ts'

/** The modes of the workflows, after the commands that are always there: those keep their names. */
export function addVerbs(program: Commander, verbs: readonly Verb[], act: Act): void {
  const taken = new Set(program.commands.map((command) => command.name()))
  for (const verb of verbs.filter(({ name }) => !taken.has(name))) addVerb(program, verb, act)
}

function addVerb(program: Commander, verb: Verb, act: Act): void {
  const command = program
    .command(verb.name)
    .description(aboutOf(verb))
    .option('--base <branch>', 'what the branch will be merged into')
    .option('--from <commit>', 'start elsewhere than at the base')
    .option('--provider <name>', 'who plays the roles')
    .option('--model <name>', 'which model')
    .option('--script <file>', 'what scripted agents do')
    .option('--deliver <how>', 'how the branch is handed over')
    .option('--remote-check <how>', "where the remote's base is not protected: warn, abort or off")
    .option('--sandbox <how>', 'required or off: walls around agents, set-up and checks')
    .option('--time-limit <duration>', 'for this command: 30m, 2h')
    .option('--max-cost <dollars>', 'start no agent once that much is used by the run')
    .option('--max-tokens <count>', 'the same, in tokens in and out')
    .option('--wait', "wait where a provider's quota is used up")
    .option('--stay', 'stay when the run asks something, until it is answered from elsewhere')
    .option('--detach', 'go on by itself, also when this terminal is closed: baton logs --follow looks on')
    .option('--anyway', 'also where it is done already, or something comes before it')
  addInputs(command, verb)
  const count = verb.takes.length
  command.addHelpText('after', `\nExample:\n${examplesOf(verb).join('\n')}`).action(
    act(async (opened: Command, ...typed: unknown[]) => {
      const words = typed
        .slice(0, count)
        .flat()
        .filter((word) => typeof word === 'string')
      return doTyped(opened, verb, { words, flags: typed[count] as TypedVerb['flags'] })
    }),
  )
}

/** Those that the mode takes are words after the verb, and all of them are flags. */
function addInputs(command: Commander, verb: Verb): void {
  for (const name of verb.takes) {
    const isText = name === verb.takes.at(-1) && name !== identifierOf(verb)
    command.argument(`[${dashed(name)}${isText ? '...' : ''}]`, verb.inputs[name]?.description ?? '')
  }
  const known = new Set(command.options.map(({ long }) => long))
  for (const [name, { description, options, list }] of Object.entries(verb.inputs)) {
    const flag = `--${dashed(name)}`
    if (known.has(flag)) continue
    const words = [description, (options ?? []).join(', ')].filter(Boolean).join(': ')
    if (list) command.option(`${flag} <value>`, words, joined)
    else command.option(`${flag} <value>`, words)
  }
}

function aboutOf({ name, workflow, mode }: Verb): string {
  const about = mode.description ?? `workflow '${workflow}', from '${mode.from}'`
  return name === archiving ? `${about}; with a number, those of a merged run` : about
}

/** The verb that is also there for a run that is over, whatever workflow that was of. */
const archiving = 'archive'

async function doTyped(opened: Command, verb: Verb, typed: TypedVerb): Promise<number> {
  const what = typed.words.join(' ')
  if (verb.name === archiving && /^#?\d+$/.test(what))
    return (await import('./commands/archive.ts')).archive(opened, what, typed.flags)
  return (await import('./commands/verb.ts')).doVerb(opened, verb, typed)
}

/** A list may be given by repeating its flag. */
function joined(value: string, before: string | undefined): string {
  return before === undefined ? value : `${before},${value}`
}

/** Something to type as it stands, for inputs whose names say what they are. */
const samples: Readonly<Record<string, string>> = {
  task: '"The total is wrong when a discount is applied twice"',
  goal: '"Every function of src has a test"',
  description: '"Round the total to whole cents"',
  change_id: 'round-total',
}

function examplesOf({ name, takes }: Verb): string[] {
  const words = takes.map((one) => (Object.hasOwn(samples, one) ? samples[one] : `<${dashed(one)}>`))
  const line = `  baton ${[name, ...words].join(' ')}`
  return name === archiving ? [line, '  baton archive 12'] : [line]
}

function dashed(name: string): string {
  return name.replaceAll('_', '-')
}
