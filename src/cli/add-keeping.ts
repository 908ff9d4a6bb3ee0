import type { Command as Commander } from 'commander'
import type { Act } from './command.ts'
import type { CleanFlags } from './commands/clean.ts'
import type { UndoFlags } from './commands/undo.ts'

/** What was kept: look at it, go back to it, put it away. */
export function addKeeping(program: Commander, act: Act): void {
  addSnapshots(program, act)
  addUndo(program, act)
  addClean(program, act)
}

function addSnapshots(program: Commander, act: Act): void {
  program
    .command('restore')
    .argument('<run>', 'its number')
    .argument('[n]', 'the number of a snapshot; without it they are listed')
    .description('list what was kept of a run, or write it into a folder')
    .option('--into <dir>', 'a folder that does not exist yet, or is empty')
    .addHelpText('after', '\nExample:\n  baton restore 12\n  baton restore 12 3 --into ../restored')
    .action(
      act(async (command, ...[run, snapshot, { into }]: [string, string | undefined, { into?: string }]) =>
        (await import('./commands/restore.ts')).restore(command, { run, snapshot, into }),
      ),
    )
}

function addUndo(program: Commander, act: Act): void {
  program
    .command('undo')
    .argument('<run>', 'its number')
    .description('go back to the end of a step; resume goes on from there')
    .option('--to <step>', 'which step: its last visit, or step#visit; without it they are listed')
    .addHelpText('after', '\nExample:\n  baton undo 12\n  baton undo 12 --to plan#2')
    .action(
      act(async (command, run: string, flags: UndoFlags) =>
        (await import('./commands/undo.ts')).undo(command, run, flags),
      ),
    )
}

function addClean(program: Commander, act: Act): void {
  program
    .command('clean')
    .argument('[run...]', 'their numbers; without any, those that ended some time ago')
    .description('remove worktrees of runs that are over; everything in them is kept first')
    .option('--older-than <duration>', 'how long ago they ended', '7d')
    .option('--dry-run', 'say what would be done, and do nothing')
    .option('--save-up-to <size>', 'how much of what git does not keep goes into an archive', '100MB')
    .option('--drop-ignored', 'do not keep ignored files')
    .option('--merged-branches', 'delete task branches that are part of their base')
    .addHelpText('after', '\nExample:\n  baton clean --dry-run\n  baton clean 12')
    .action(
      act(async (command, runs: string[], flags: CleanFlags) =>
        (await import('./commands/clean.ts')).clean(command, runs, flags),
      ),
    )
}
