import type { Command as Commander } from 'commander'
import type { Act, Command } from './command.ts'

/** Start, go on, stop. */
export function addRuns(program: Commander, act: Act): void {
  program
    .command('run')
    .argument('[task...]', 'what you want done, in your words')
    .description('run a workflow for a task')
    .option('-t, --task <text>', 'the task, instead of the argument; - reads it from standard input')
    .option('--issue <number>', 'the task is an issue at the forge: 12, #12 or its address')
    .option('--pr <number>', 'the task is what was said about a pull request, on its own branch')
    .option('--file <path>', 'the task is in a file')
    .option('-w, --workflow <name>', 'which workflow (default: pipeline)')
    .option(
      '-m, --mode <mode>',
      'where the workflow begins, for pipeline: bugfix, research, direct, rework, archive',
    )
    .option('--base <branch>', 'what the branch will be merged into')
    .option('--from <commit>', 'start elsewhere than at the base')
    .option('--provider <name>', 'who plays the roles')
    .option('--model <name>', 'which model')
    .option('--complexity <level>', 'low, medium, high or critical: decides which model, where none is named')
    .option('--script <file>', 'what scripted agents do')
    .option('--deliver <how>', 'pr, local or none')
    .option('--remote-check <how>', "where the remote's base is not protected: warn, abort or off")
    .option('--sandbox <how>', 'required or off: walls around agents, set-up and checks')
    .option('--time-limit <duration>', 'for the whole run: 30m, 2h')
    .option('--max-cost <dollars>', 'start no agent once that much is used')
    .option('--max-tokens <count>', 'the same, in tokens in and out')
    .option('--wait', "wait where a provider's quota is used up")
    .option('--stay', 'stay when the run asks something, until it is answered from elsewhere')
    .option('--detach', 'go on by itself, also when this terminal is closed: baton logs --follow looks on')
    .option('--rollback', 'after a failure, back to before the task or step that failed; all is kept')
    .option('-i, --input <name=value>', 'an input of the workflow, may be repeated', collect, [])
    .addHelpText(
      'after',
      '\nExample:\n  baton run --mode bugfix "The total is wrong when a discount is applied twice"',
    )
    .action(
      act(async (command, words: string[], flags: object) => {
        await lookAhead(command)
        return (await import('./commands/run.ts')).run(command, words, flags)
      }),
    )
  program
    .command('resume')
    .argument('[run]', 'its number; the newest if left out')
    .description('go on with a run from the last recorded fact')
    .option('--time-limit <duration>', 'more time for the whole run')
    .option('--max-cost <dollars>', 'another limit, or none')
    .option('--max-tokens <count>', 'another limit, or none')
    .option('--wait', "wait where a provider's quota is used up")
    .option('--stay', 'stay when the run asks something, until it is answered from elsewhere')
    .option('--detach', 'go on by itself, also when this terminal is closed: baton logs --follow looks on')
    .option('--rollback', 'after a failure, back to before the task or step that failed; all is kept')
    .addHelpText('after', '\nExample:\n  baton resume 12')
    .action(
      act(async (command, run: string | undefined, flags: object) => {
        await lookAhead(command)
        return (await import('./commands/run.ts')).resume(command, run, flags)
      }),
    )
  program
    .command('cancel')
    .argument('[run]', 'its number; the newest if left out')
    .description('stop a run for good; its branch stays')
    .addHelpText('after', '\nExample:\n  baton cancel 12')
    .action(
      act(async (command, run: string | undefined) =>
        (await import('./commands/tell.ts')).cancel(command, run),
      ),
    )
}

/** Git looks while the command is loaded. */
async function lookAhead({ surroundings: { cwd, env } }: Command): Promise<void> {
  const { beginProject } = await import('./project.ts')
  beginProject(cwd, env)
}

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value]
}
