import type { Command as Commander } from 'commander'
import type { Act } from './command.ts'

/** What has become of runs. */
export function addLooks(program: Commander, act: Act): void {
  program
    .command('runs')
    .description('list the runs of this repository')
    .addHelpText('after', '\nExample:\n  baton runs --json')
    .action(act(async (command) => (await import('./commands/look.ts')).runs(command)))
  program
    .command('show')
    .argument('[run]', 'its number; the newest if left out')
    .description('what a run has come to: steps, gates, artifacts, the next command')
    .addHelpText('after', '\nExample:\n  baton show 12')
    .action(
      act(async (command, run: string | undefined) =>
        (await import('./commands/look.ts')).show(command, run),
      ),
    )
  program
    .command('logs')
    .argument('[run]', 'its number; the newest if left out')
    .description('the lines of a run')
    .option('-f, --follow', 'go on as they come')
    .addHelpText('after', '\nExample:\n  baton logs 12 --follow')
    .action(
      act(async (command, run: string | undefined, flags: object) =>
        (await import('./commands/look.ts')).logs(command, run, flags),
      ),
    )
  program
    .command('report')
    .argument('[run]', 'its number; the newest if left out')
    .description('a run for people who were not there: what was asked, done, checked and left')
    .option('-o, --output <file>', 'write it there: .html for a page with everything, .md for a text')
    .addHelpText('after', '\nExample:\n  baton report 12 --output report.html')
    .action(
      act(async (command, run: string | undefined, flags: object) =>
        (await import('./commands/report.ts')).report(command, run, flags),
      ),
    )
  program
    .command('replay')
    .argument('[run]', 'its number; the newest if left out')
    .description('go through a recorded run once more, offline, and say where it comes out otherwise')
    .addHelpText('after', '\nExample:\n  baton replay 12')
    .action(
      act(async (command, run: string | undefined) =>
        (await import('./commands/replay.ts')).replay(command, run),
      ),
    )
  program
    .command('cost')
    .argument('[run]', 'its number; the newest if left out')
    .description('what the agents of a run have used: tokens and dollars, by step and role')
    .addHelpText('after', '\nExample:\n  baton cost 12')
    .action(
      act(async (command, run: string | undefined) =>
        (await import('./commands/cost.ts')).cost(command, run),
      ),
    )
}
