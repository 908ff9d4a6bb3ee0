import { Command as Commander } from 'commander'
import type { Verb } from '../config/find-verbs.ts'
import { addCompletion } from './add-completion.ts'
import { addFirewall } from './add-firewall.ts'
import { addKeeping } from './add-keeping.ts'
import { addLooks } from './add-looks.ts'
import { addMessages } from './add-messages.ts'
import { addRuns } from './add-runs.ts'
import { addVerbs } from './add-verbs.ts'
import { addWatch } from './add-watch.ts'
import { addWorkflows } from './add-workflows.ts'
import type { Act, Command } from './command.ts'
import { version } from './version.ts'

/** Flags of every command. */
export interface GlobalFlags {
  readonly json: boolean
  /** Nothing moves on the terminal. */
  readonly plain: boolean
  /** Every line of every agent is printed. */
  readonly verbose: boolean
}

export interface Callbacks {
  readonly open: (flags: GlobalFlags) => Command
  readonly done: (exitCode: number) => void
  /** What commander itself would print on stderr: a complaint, or the help that was not asked for. */
  readonly complain: (text: string) => void
  /** Commands that workflows bring. */
  readonly verbs?: readonly Verb[]
}

/** The command line. Each action is loaded when it is called, so that the others cost nothing. */
export function createProgram({ open, done, complain, verbs = [] }: Callbacks): Commander {
  const program = new Commander('baton')
    .description('Turns coding-agent command-line tools into a dependable pipeline for software work.')
    .version(version(), '-V, --version')
    .option('--json', 'one JSON document on stdout, everything else on stderr')
    .option('--plain', 'no moving lines on the terminal')
    .option('--verbose', 'print every line that an agent says')
    .showHelpAfterError(false)
    .exitOverride()
    .configureOutput({ writeErr: complain })
    .configureHelp({ subcommandTerm: termOf })
    .addHelpText(
      'after',
      '\nExample:\n  baton demo\n  baton run "The total is wrong when a discount is applied twice"',
    )
  const act =
    <T extends unknown[]>(action: (command: Command, ...words: T) => Promise<number>) =>
    async (...words: [...T, ...unknown[]]): Promise<void> => {
      const { json, plain, verbose } = program.opts()
      const command = open({ json: json === true, plain: plain === true, verbose: verbose === true })
      done(await action(command, ...(words as unknown as T)))
    }
  const group = (heading: string) => program.commandsGroup(`${heading}:`)
  addStart(group('Start'), act)
  addRuns(group('Work'), act)
  addMessages(group('Answer a run that asks'), act)
  addLooks(group('Look'), act)
  addWatch(program, act)
  addKeeping(group('Keep, go back, tidy up'), act)
  addWorkflows(group('See what a run will do'), act)
  addFirewall(program, act)
  addVerbs(group('Work with one word, by the modes of your workflows'), verbs, act)
  addCompletion(group('More'), verbs, act)
  return program
}

/** Short, so that what it does has room beside it on a narrow terminal: almost all take options. */
function termOf(command: Commander): string {
  const words = command.registeredArguments.map((one) =>
    one.required ? `<${one.name()}>` : `[${one.name()}]`,
  )
  return [command.name(), ...words].join(' ')
}

function addStart(program: Commander, act: Act): void {
  program
    .command('init')
    .description('write the first settings of this project from what is found in it')
    .option('-y, --yes', 'ask nothing')
    .option('--share-login', "use the tool's own login where there is no key")
    .addHelpText('after', '\nExample:\n  baton init --yes')
    .action(act(async (command, flags: object) => (await import('./commands/init.ts')).init(command, flags)))
  program
    .command('doctor')
    .description('whether a run could work here, and what mends what is missing')
    .option('--fix', 'mend what is safe to mend: locks of dead processes, worktrees and runs that are none')
    .option('-w, --workflow <name>', 'for this workflow, instead of the one in the settings')
    .addHelpText('after', '\nExample:\n  baton doctor --fix')
    .action(
      act(async (command, flags: object) => (await import('./commands/doctor.ts')).doctor(command, flags)),
    )
  program
    .command('demo')
    .description(
      'a whole pipeline with scripted agents in a small real repository: no credentials, no network',
    )
    .option('--keep <dir>', 'put the repository there')
    .addHelpText('after', '\nExample:\n  baton demo --keep ~/baton-demo')
    .action(act(async (command, flags: object) => (await import('./commands/demo.ts')).demo(command, flags)))
}
