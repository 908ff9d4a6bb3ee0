import type { Command as Commander } from 'commander'
import type { Act } from './command.ts'
import type { CommandTree, OptionWords } from './complete-words.ts'

/** `baton completion <shell>` prints the script; the hidden `baton complete` is what the scripts ask. */
export function addCompletion(program: Commander, act: Act): void {
  program
    .command('completion')
    .argument('<shell>', 'bash, zsh or fish')
    .description('print what makes your shell complete commands, runs and workflows')
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
        (await import('./commands/completion.ts')).complete(command, treeOf(program), words),
      ),
    )
}

function treeOf(command: Commander): CommandTree {
  return {
    name: command.name(),
    description: command.description(),
    commands: command.commands.filter((inner) => inner.name() !== 'complete').map(treeOf),
    options: command.options.map(optionOf),
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
