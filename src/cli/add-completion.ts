import type { Command as Commander } from 'commander'
import type { Verb } from '../config/find-verbs.ts'
import { identifierOf } from '../model/stretch.ts'
import type { Act } from './command.ts'
import type { CommandTree, OptionWords } from './complete-words.ts'

/** `baton completion <shell>` prints the script; the hidden `baton complete` is what the scripts ask. */
export function addCompletion(program: Commander, verbs: readonly Verb[], act: Act): void {
  program
    .command('completion')
    .argument('<shell>', 'bash, zsh or fish')
    .description('print what makes your shell complete commands, runs, workflows and changes')
    .addHelpText('after', '\nExample:\n  baton completion bash >> ~/.bashrc')
    .action(
      act(async (command, shell: string) =>
        (await import('./commands/completion.ts')).completion(command, shell),
      ),
    )
  program
    .command('complete', { hidden: true })
    .argument('[words...]', 'all words up to the cursor')
    .addHelpText('after', '\nExample:\n  baton complete -- sh')
    .action(
      act(async (command, words: string[]) =>
        (await import('./commands/completion.ts')).complete(command, treeOf(program, verbs), words),
      ),
    )
}

function treeOf(command: Commander, verbs: readonly Verb[]): CommandTree {
  const verb = verbs.find(({ name }) => name === command.name())
  const [first] = verb?.takes ?? []
  const isAboutOne = verb !== undefined && first !== undefined && first === identifierOf(verb)
  return {
    name: command.name(),
    description: command.description(),
    commands: command.commands
      .filter((inner) => inner.name() !== 'complete')
      .map((inner) => treeOf(inner, verbs)),
    options: command.options.map(optionOf),
    ...(isAboutOne ? { named: { workflow: verb.workflow, identifier: first } } : {}),
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      variadic: argument.variadic,
    })),
  }
}

function optionOf({
  short,
  long,
  description,
  required,
  optional,
}: Commander['options'][number]): OptionWords {
  const words = [long, short].filter((word) => word !== undefined && word !== null)
  return { words, description, ...(required || optional ? { value: long ?? '' } : {}) }
}
