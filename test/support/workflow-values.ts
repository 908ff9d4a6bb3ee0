// Workflows as the engine sees them, written in tests without a file.
import type {
  AgentStep,
  AskStep,
  CheckStep,
  DoStep,
  EachStep,
  Role,
  Route,
  Step,
  StepCommon,
  Workflow,
} from '../../src/model/workflow.ts'

export function roleOf(name: string, more: Partial<Role> = {}): Role {
  return {
    ...{ name, title: name.toUpperCase(), prompt: `${name}.md`, provider: 'scripted' },
    ...{ capabilities: ['read'], mayWrite: [], commits: 'engine', edits: 'agent', answer: 'json_tail' },
    ...{ verdicts: {}, feedback: 'feedback', retry: { maxAttempts: 1, delayMs: 0, backoff: 1 } },
    ...{ repair: 0, timeout: { wallMs: 60_000, idleMs: 60_000, toolMs: 60_000 } },
    ...more,
  }
}

/** The words of a reviewer, as the pipeline's reviewers have them. */
export const reviewing: Partial<Role> = {
  verdicts: { verdict: { APPROVE: 'ok', REJECT: 'revise', ESCALATE: 'escalate' } },
}

type Common = Partial<Omit<StepCommon, 'id'>>

function commonOf(id: string, more: Common): StepCommon {
  return {
    ...{ id, when: {}, reads: [], writes: [], with: {}, gates: [], on: {}, says: {}, emits: {} },
    ...more,
  }
}

export function agent(id: string, more: Common & { role?: Partial<Role> } = {}): AgentStep {
  const { role, ...common } = more
  return { ...commonOf(id, common), type: 'agent', role: roleOf(id, role) }
}

export function reviewer(id: string, more: Common & { role?: Partial<Role> } = {}): AgentStep {
  return agent(id, { ...more, role: { ...reviewing, ...more.role } })
}

export function action(id: string, more: Common & { action?: string } = {}): DoStep {
  const { action: name = id, ...common } = more
  return { ...commonOf(id, common), type: 'do', action: name }
}

export function check(id: string, more: Common = {}): CheckStep {
  return { ...commonOf(id, more), type: 'check', checks: ['tests'], timeoutMs: 60_000 }
}

export function question(id: string, more: Common & { question?: string } = {}): AskStep {
  const { question: text = 'Go on?', ...common } = more
  return { ...commonOf(id, common), type: 'ask', question: text }
}

export function each(
  id: string,
  more: Common & Pick<EachStep, 'list' | 'steps'> & Partial<Pick<EachStep, 'attempts' | 'only'>>,
): EachStep {
  const { list, steps, attempts = 1, only, ...common } = more
  return {
    ...commonOf(id, common),
    type: 'each',
    list,
    steps,
    attempts,
    ...(only === undefined ? {} : { only }),
  }
}

type RouteKeys = Partial<Omit<Route, 'type' | 'target' | 'then'>> & { readonly then?: Route | string }

export function to(target: string, more: RouteKeys = {}): Route {
  return routeOf('to', target, more)
}

export function call(fragment: string, more: RouteKeys = {}): Route {
  return routeOf('call', fragment, more)
}

function routeOf(type: Route['type'], target: string, { then, ...more }: RouteKeys): Route {
  const after = typeof then === 'string' ? to(then) : then
  return { type, target, once: false, ...more, ...(after === undefined ? {} : { then: after }) }
}

export function workflowOf(steps: readonly Step[], more: Partial<Workflow> = {}): Workflow {
  return {
    ...{ name: 'test', description: '', inputs: {}, modes: {}, paths: {} },
    ...{ policy: { branch: 'task/{task_id}', worktree: '../{task_id}' }, budget: {}, says: {}, emits: {} },
    ...{ checks: {}, roles: {}, steps, fragments: {} },
    ...more,
  }
}
