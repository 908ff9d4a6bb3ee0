import type { Command as Commander } from 'commander'
import type { Act } from './command.ts'

/** What a run would do, before there is one. */
export function addWorkflows(program: Commander, act: Act): void {
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
    .addHelpText('after', '\nExample:\n  baton prompt show pipeline')
    .command('show')
    .argument('<workflow>')
    .argument('[role]', 'all roles, with the files of their prompts, if left out')
    .description("print a role's prompt")
    .addHelpText('after', '\nExample:\n  baton prompt show pipeline')
    .action(
      act(async (command, name: string, role: string | undefined) =>
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
