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
  program
    .command('listen')
    .description('take approve, reject and answer from elsewhere, as signed HTTP requests')
    .option('--port <number>', 'where to listen; 0 for any that is free (default: 4747)')
    .option('--host <address>', 'at which address of this machine (default: 127.0.0.1)')
    .option('--secret-env <name>', 'the variable with the secret (default: BATON_LISTEN_SECRET)')
    .addHelpText('after', '\nExample:\n  baton listen --port 4747 --secret-env CHAT_SECRET')
    .action(
      act(async (command, flags: object) => (await import('./commands/listen.ts')).listen(command, flags)),
    )
}
