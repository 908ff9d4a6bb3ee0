import type { Command as Commander } from 'commander'
import type { PersonVerb } from '../model/durable.ts'
import type { Act } from './command.ts'

const messages: readonly [PersonVerb, string, string][] = [
  ['approve', 'go on past what a run asks about', 'baton approve 12'],
  ['reject', 'send the step back with your reason', 'baton reject 12 "The plan forgets the migration"'],
  ['answer', 'run the step again with your words', 'baton answer 12 "Use the staging database"'],
]

/** What a person says to a run that waits. */
export function addMessages(program: Commander, act: Act): void {
  for (const [verb, description, example] of messages) {
    program
      .command(verb)
      .argument('<run>', 'its number')
      .argument('[text...]', 'your words')
      .description(description)
      .addHelpText('after', `\nExample:\n  ${example}`)
      .action(
        act(async (command, run: string, words: string[]) =>
          (await import('./commands/tell.ts')).tell(command, { verb, run, text: words.join(' ') }),
        ),
      )
  }
}
