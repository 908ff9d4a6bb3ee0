import type { StepFile } from '../model/step-file.ts'
import type { InputFile, WorkflowFile } from '../model/workflow-file.ts'
import type { InputSpec, ModeSpec, Step, Workflow, WorkflowCheck } from '../model/workflow.ts'
import { defined, mapped } from './records.ts'
import { normalizeRole, writtenRole } from './normalize-role.ts'
import type { Casting } from './normalize-role.ts'
import { normalizeEmitted, normalizeStep } from './normalize-step.ts'
import { normalizeOversight, normalizePhases } from './normalize-supervision.ts'

/** A checked file as the engine runs it: every default laid in. Only for files that `checkWorkflow` found nothing in. */
export function normalizeWorkflow(file: WorkflowFile, casting: Casting): Workflow {
  const { fragments = {}, paths = {}, says = {} } = file
  const stepsOf = (steps: string | readonly StepFile[]): readonly Step[] =>
    (typeof steps === 'string' ? (fragments[steps] ?? []) : steps).map((step) =>
      normalizeStep(step, { file, casting, stepsOf }),
    )
  return {
    name: file.name,
    description: file.description ?? '',
    inputs: mapped(file.inputs, normalizeInput),
    modes: mapped(file.modes, normalizeMode),
    paths,
    policy: normalizePolicy(file.policy),
    checks: mapped(file.checks, normalizeCheck),
    budget: defined({
      time: file.budget?.time,
      phases: file.budget?.phases && normalizePhases(file.budget.phases),
    }),
    ...normalizeOversight(file),
    says,
    emits: mapped(file.emits, normalizeEmitted),
    roles: mapped(file.roles, (_, name) => normalizeRole(name, writtenRole(file, name), casting)),
    steps: stepsOf(file.steps),
    fragments: mapped(fragments, stepsOf),
  }
}

function normalizePolicy(policy: WorkflowFile['policy'] = {}): Workflow['policy'] {
  const { branch, worktree, network, tests, cut, no_tests: noTests, result_keys: resultKeys } = policy
  return {
    branch: branch ?? 'task/{task_id}-{slug}',
    worktree: worktree ?? '../.worktrees/{task_id}-{slug}',
    ...defined({ network, tests, noTests, resultKeys, cut }),
    ...(policy.limits && { limits: defined(policy.limits) }),
  }
}

function normalizeCheck({
  command,
  labels = {},
  kinds = [],
}: NonNullable<WorkflowFile['checks']>[string]): WorkflowCheck {
  // The schema has seen that there is at least one word.
  return { command: command as [string, ...string[]], labels, kinds }
}

export function normalizeInput({ default: value, options, pattern, next, ...input }: InputFile): InputSpec {
  return {
    description: input.description ?? '',
    required: input.required ?? false,
    list: input.list ?? false,
    type: input.type ?? 'text',
    ...defined({ default: value, options, pattern, next }),
    ...(input.identifies === true ? { identifies: true } : {}),
  }
}

export function normalizeMode(mode: NonNullable<WorkflowFile['modes']>[string]): ModeSpec {
  if (typeof mode === 'string') return { from: mode }
  const { from, to, description, takes, starts } = mode
  return { from, ...defined({ to, description, takes, starts }) }
}
