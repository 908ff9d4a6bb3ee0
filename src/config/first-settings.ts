/** What `baton init` found out about a project. */
export interface FoundProject {
  readonly base: string
  /** It is the default branch of the remote: written down, its name would mean the local branch, which may lag behind. */
  readonly isRemote: boolean
  readonly tests?: readonly string[]
  readonly provider?: string
  /** Folders and files that tests need and git does not have. */
  readonly link: readonly string[]
  readonly copy: readonly string[]
}

/** The first `.baton/config.yaml`: what was found, as settings; what else there is, as comments. */
export function firstSettings(found: FoundProject): string {
  return `# How Baton works in this repository. Commit it, so that everybody has the same.
# Every setting: baton config show

${baseLines(found)}

# What becomes of a finished branch: local leaves it here, pr pushes it and opens a pull request.
deliver: local

${providerLines(found)}

# Commands that the engine runs itself. Nothing counts as done before the tests pass.
${checkLines(found)}

# A worktree is a fresh checkout: what is not in git and tests need all the same.
${worktreeLines(found)}

# For a whole run; resume with a larger one goes on.
# time_limit: 2h
`
}

function baseLines({ base, isRemote }: FoundProject): string {
  if (!isRemote) return `# What task branches start from and are merged into.\nbase: ${scalar(base)}`
  return `# What task branches start from and are merged into: by itself the remote's default branch, as last fetched.
# base: ${scalar(base)}  # the local branch instead`
}

function providerLines({ provider }: FoundProject): string {
  if (provider === undefined) {
    return `# Who plays the roles. None of the tools that Baton knows was found; baton doctor names them.
# provider: <name>`
  }
  return `# Who plays the roles, unless a workflow names somebody else for one. It is used with an API key from the
# environment, which agents never see; 'login: share' in your own settings lets a tool use its own login.
provider: ${scalar(provider)}`
}

/** The first of a user's own settings, once he has said that tools may use their own logins. */
export const ownLogin = `# A tool's own login is copied into each call: what the agent runs can read it.
login: share
`

function checkLines({ tests }: FoundProject): string {
  if (tests) return `checks:\n  tests: { command: ${list(tests)} }`
  return `# No test command was found. Steps that must pass the tests cannot pass without one.
# checks:
#   tests: { command: [./run-tests.sh] }`
}

function worktreeLines({ link, copy }: FoundProject): string {
  if (link.length + copy.length === 0) {
    return `# worktree:
#   link: [node_modules]
#   copy: [.env]
#   setup: [[npm, ci]]`
  }
  const lines = [
    ...(link.length === 0 ? [] : [`  link: ${list(link)}`]),
    ...(copy.length === 0 ? [] : [`  copy: ${list(copy)}`]),
  ]
  return ['worktree:', ...lines].join('\n')
}

function list(words: readonly string[]): string {
  return `[${words.map(scalar).join(', ')}]`
}

/** Quoted unless it can be nothing but text in YAML. */
function scalar(text: string): string {
  return /^[A-Za-z./][\w./-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off)$/i.test(text)
    ? text
    : JSON.stringify(text)
}
