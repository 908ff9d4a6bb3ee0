import type { Command as Commander } from 'commander'
import type { Act } from './command.ts'

/** What goes on after a delivery. */
export function addWatch(program: Commander, act: Act): void {
  program
    .command('watch')
    .argument('[run]', 'its number; all runs of the repository if left out')
    .description(
      'after the delivery: what is said about its pull request goes back to work, until it is merged',
    )
    .option('--every <duration>', 'how often to look (default: 1m; for all runs 2s)')
    .option('--rounds <count>', 'how many rounds of rework at most (default: 3)')
    .option('--once', 'look once, do what there is to do, and end')
    .addHelpText('after', '\nExample:\n  baton watch 12 --every 5m')
    .action(
      act(async (command, run: string | undefined, flags: object) =>
        run === undefined
          ? (await import('./commands/watch-runs.ts')).watchRuns(command, flags)
          : (await import('./commands/watch.ts')).watch(command, run, flags),
      ),
    )
}
