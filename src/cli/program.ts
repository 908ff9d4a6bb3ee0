import { Command as Commander } from 'commander'
import type { PersonVerb } from '../model/durable.ts'
import type { Command } from './command.ts'
import type { CleanFlags } from './commands/clean.ts'
import type { UndoFlags } from './commands/undo.ts'
import { version } from './version.ts'

export interface Callbacks {
  readonly open: (json: boolean) => Command
  readonly done: (exitCode: number) => void
  /** What commander itself would print on stderr: a complaint, or the help that was not asked for. */
  readonly complain: (text: string) => void
}

/** The command line. Each action is loaded when it is called, so that the others cost nothing. */
export function createProgram({ open, done, complain }: Callbacks): Commander {
  const program = new Commander('baton')
    .description('Turns coding-agent command-line tools into a dependable pipeline for software work.')
    .version(version(), '-V, --version')
    .option('--json', 'one JSON document on stdout, everything else on stderr')
    .showHelpAfterError(false)
    .exitOverride()
    .configureOutput({ writeErr: complain })
    .addHelpText(
      'after',
      '\nExample:\n  baton demo\n  baton run "The total is wrong when a discount is applied twice"',
    )
  const act =
    <T extends unknown[]>(action: (command: Command, ...words: T) => Promise<number>) =>
    async (...words: [...T, ...unknown[]]): Promise<void> => {
      const command = open(program.opts()['json'] === true)
      done(await action(command, ...(words as unknown as T)))
    }
  addRuns(program, act)
  addLooks(program, act)
  addSnapshots(program, act)
  addUndo(program, act)
  addClean(program, act)
  addMessages(program, act)
  addWorkflows(program, act)
  addStart(program, act)
  return program
}

type Act = <T extends unknown[]>(
  action: (command: Command, ...words: T) => Promise<number>,
) => (...words: [...T, ...unknown[]]) => Promise<void>

function addRuns(program: Commander, act: Act): void {
  program
    .command('run')
    .argument('[task...]', 'what you want done, in your words')
    .description('run a workflow for a task')
    .option('-t, --task <text>', 'the task, instead of the argument; - reads it from standard input')
    .option('-w, --workflow <name>', 'which workflow (default: pipeline)')
    .option('-m, --mode <mode>', 'where the workflow begins, for pipeline: bugfix, research, direct')
    .option('--base <branch>', 'what the branch will be merged into')
    .option('--from <commit>', 'start elsewhere than at the base')
    .option('--provider <name>', 'who plays the roles')
    .option('--model <name>', 'which model')
    .option('--script <file>', 'what scripted agents do')
    .option('--deliver <how>', 'pr, local or none')
    .option('--remote-check <how>', "where the remote's base is not protected: warn, abort or off")
    .option('--time-limit <duration>', 'for the whole run: 30m, 2h')
    .option('-i, --input <name=value>', 'an input of the workflow, may be repeated', collect, [])
    .addHelpText(
      'after',
      '\nExample:\n  baton run --mode bugfix "The total is wrong when a discount is applied twice"',
    )
    .action(
      act(async (command, words: string[], flags: object) =>
        (await import('./commands/run.ts')).run(command, words, flags),
      ),
    )
  program
    .command('resume')
    .argument('[run]', 'its number; the newest if left out')
    .description('go on with a run from the last recorded fact')
    .option('--time-limit <duration>', 'more time for the whole run')
    .addHelpText('after', '\nExample:\n  baton resume 12')
    .action(
      act(async (command, run: string | undefined, flags: object) =>
        (await import('./commands/run.ts')).resume(command, run, flags),
      ),
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

function addLooks(program: Commander, act: Act): void {
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

const messages: readonly [PersonVerb, string, string][] = [
  ['approve', 'go on past what a run asks about', 'baton approve 12'],
  ['reject', 'send the step back with your reason', 'baton reject 12 "The plan forgets the migration"'],
  ['answer', 'run the step again with your words', 'baton answer 12 "Use the staging database"'],
]

function addMessages(program: Commander, act: Act): void {
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

function addWorkflows(program: Commander, act: Act): void {
  const workflow = program
    .command('workflow')
    .description('see and change what a run will do')
    .addHelpText('after', '\nExample:\n  baton workflow list')
  const named = (verb: string, description: string) =>
    workflow
      .command(verb)
      .argument('<name>', 'a workflow, or the path of its file')
      .description(description)
      .addHelpText('after', `\nExample:\n  baton workflow ${verb} pipeline`)
  workflow
    .command('list')
    .description('all workflows, and where they come from')
    .addHelpText('after', '\nExample:\n  baton workflow list')
    .action(act(async (command) => (await import('./commands/workflow.ts')).listAll(command)))
  named('show', 'print the file').action(
    act(async (command, name: string) => (await import('./commands/workflow.ts')).showOne(command, name)),
  )
  named('validate', 'check the file and all that it names').action(
    act(async (command, name: string) => (await import('./commands/workflow.ts')).validate(command, name)),
  )
  named('graph', 'print it as a Mermaid diagram').action(
    act(async (command, name: string) => (await import('./commands/workflow.ts')).graph(command, name)),
  )
  named('eject', 'copy it with its prompts into .baton/, to be changed there').action(
    act(async (command, name: string) => (await import('./commands/workflow.ts')).eject(command, name)),
  )
  program
    .command('prompt')
    .description('see the prompts of a workflow')
    .addHelpText('after', '\nExample:\n  baton prompt show pipeline <role>')
    .command('show')
    .argument('<workflow>')
    .argument('<role>')
    .description("print a role's prompt")
    .addHelpText('after', '\nExample:\n  baton prompt show pipeline <role>')
    .action(
      act(async (command, name: string, role: string) =>
        (await import('./commands/workflow.ts')).showPrompt(command, name, role),
      ),
    )
  program
    .command('config')
    .description('see the settings')
    .addHelpText('after', '\nExample:\n  baton config show')
    .command('show')
    .description('every setting, and where its value comes from')
    .addHelpText('after', '\nExample:\n  baton config show')
    .action(act(async (command) => (await import('./commands/workflow.ts')).showConfig(command)))
}

function addStart(program: Commander, act: Act): void {
  program
    .command('demo')
    .description(
      'a whole pipeline with scripted agents in a small real repository: no credentials, no network',
    )
    .option('--keep <dir>', 'put the repository there')
    .addHelpText('after', '\nExample:\n  baton demo --keep /tmp/baton-demo')
    .action(act(async (command, flags: object) => (await import('./commands/demo.ts')).demo(command, flags)))
}

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value]
}
