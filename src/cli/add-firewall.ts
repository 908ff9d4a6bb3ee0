import type { Command as Commander } from 'commander'
import type { Act } from './command.ts'

/** What agents may do, before and after they try. */
export function addFirewall(program: Commander, act: Act): void {
  const firewall = program
    .command('firewall')
    .description('see what agents may do, and what they were denied')
    .addHelpText('after', '\nExample:\n  baton firewall test "git push"')
  firewall
    .command('test')
    .argument('<command>', 'a shell command, as an agent would run it')
    .description('what the firewall would say to a command, role by role; nothing is run')
    .option('--role <role>', 'for this role only')
    .option('--workflow <name>', 'the workflow whose roles are meant')
    .option('--merging', 'as if a merge were under way')
    .addHelpText('after', '\nExample:\n  baton firewall test "git checkout main"')
    .action(
      act(async (command, words: string, flags: object) =>
        (await import('./commands/firewall.ts')).tryCommand(command, words, flags),
      ),
    )
  firewall
    .command('explain')
    .argument('[run]', 'number of the run; the newest if absent')
    .description('each tool call of a run, with the decision and its rule')
    .addHelpText('after', '\nExample:\n  baton firewall explain 12')
    .action(
      act(async (command, run: string | undefined) =>
        (await import('./commands/firewall.ts')).explain(command, run),
      ),
    )
}
