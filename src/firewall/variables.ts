import type { Objection } from './objection.ts'
import type { Arg } from './words.ts'

/** Variables that decide what a command is, where git works, or that run code when they are read. */
const decisive =
  /^(GIT_\w+|LD_\w+|DYLD_\w+|BASH_\w+|SSH_\w+|PATH|ENV|HOME|SHELL|SHELLOPTS|BASHOPTS|PS[0-4]|PROMPT_COMMAND|CDPATH|FPATH|ZDOTDIR|XDG_CONFIG_HOME|GLOBIGNORE|EXECIGNORE|PAGER|EDITOR|VISUAL|LESSOPEN|LESSCLOSE|HISTFILE|PERL5OPT|RUBYOPT|BASH)$/

/** Values that take away a pager, an editor or a prompt and do nothing else. */
const harmless: Readonly<Record<string, readonly string[]>> = {
  GIT_PAGER: ['cat', ''],
  PAGER: ['cat', ''],
  GIT_EDITOR: ['true', ':'],
  EDITOR: ['true', ':'],
  GIT_TERMINAL_PROMPT: ['0'],
  GIT_OPTIONAL_LOCKS: ['0'],
  GIT_MERGE_AUTOEDIT: ['no'],
}

export function variableObjection(name: string, value: Arg): Objection | undefined {
  if (!/^[A-Za-z_]\w*$/.test(name)) return unusable(name)
  if (!decisive.test(name)) return undefined
  if (value.value !== undefined && harmless[name]?.includes(value.value)) return undefined
  return { rule: 'shell:variable', why: `${name} decides what commands mean, and stays as it is` }
}

/** For builtins that take names of variables: read, printf -v, unset, getopts. */
export function nameObjection(arg: Arg): Objection | undefined {
  if (arg.value === undefined) return unusable(arg.source)
  return variableObjection(arg.value, { ...arg, value: undefined })
}

function unusable(name: string): Objection {
  return { rule: 'shell:variable', why: `${name} is not the plain name of a variable` }
}
