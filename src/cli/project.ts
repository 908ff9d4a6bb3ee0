import { basename, dirname, join } from 'node:path'
import { layersFor } from '../config/layers.ts'
import type { Layer } from '../config/layers.ts'
import { discoverRepository } from '../git/repository.ts'
import type { Repository } from '../git/repository.ts'
import { FailureError } from '../model/failure.ts'

/** The repository that a command was typed in, and where its settings, workflows and runs are. */
export interface Project {
  readonly repo: Repository
  readonly layers: readonly Layer[]
  readonly runsDir: string
}

let begun: { readonly cwd: string; readonly repo: Promise<Repository> } | undefined

/** Before the rest of a command is loaded, which takes as long as git does to look. The next `openProject` has it. */
export function beginProject(cwd: string, env: NodeJS.ProcessEnv): void {
  begun = { cwd, repo: discoverRepository(cwd, env) }
  // Whoever opens it hears of it; a command that fails before that has something else to say.
  begun.repo.catch(() => undefined)
}

export async function openProject(cwd: string, env: NodeJS.ProcessEnv): Promise<Project> {
  const ahead = begun?.cwd === cwd ? begun.repo : undefined
  begun = undefined
  const repo = await (ahead ?? discoverRepository(cwd, env))
  return {
    repo,
    layers: layersFor({ projectRoot: repo.root, env }),
    runsDir: join(homeOf(repo), '.baton', 'runs'),
  }
}

/** Runs belong to the clone, whichever of its worktrees one stands in, a task's own included. */
function homeOf(repo: Repository): string {
  return basename(repo.gitDir) === '.git' ? dirname(repo.gitDir) : repo.root
}

/** Outside a repository the user's and the built-in layers are still there to look at. */
export async function openLayers(cwd: string, env: NodeJS.ProcessEnv): Promise<readonly Layer[]> {
  try {
    return (await openProject(cwd, env)).layers
  } catch (error) {
    if (error instanceof FailureError && error.code === 'repository.none') return layersFor({ env })
    throw error
  }
}
