import type { Route, Step, Workflow } from '../model/workflow.ts'

/** The steps and routes of a workflow as a Mermaid diagram. */
export function workflowGraph(workflow: Workflow): string {
  const lines = ['flowchart TD']
  for (const [mode, { from }] of Object.entries(workflow.modes))
    lines.push(`  mode_${mode}([${mode}]) --> ${from}`)
  lines.push(...listLines(workflow.steps))
  for (const [name, steps] of Object.entries(workflow.fragments)) {
    lines.push(`  subgraph ${name}`, ...listLines(steps).map((line) => `  ${line}`), '  end')
  }
  return `${lines.join('\n')}\n`
}

function listLines(steps: readonly Step[]): string[] {
  return steps.flatMap((step, index) => {
    const following = step.next ?? steps[index + 1]?.id ?? 'done'
    const onwards =
      'ok' in step.on ? [] : [`  ${step.id} --> ${following === 'done' ? 'done((end))' : following}`]
    const routes = Object.entries(step.on).flatMap(([label, route]) => routeLines(step, label, route))
    const inner =
      step.type === 'each' ? [`  subgraph ${step.id}_items`, ...listLines(step.steps), '  end'] : []
    return [`  ${step.id}${shape(step)}`, ...onwards, ...routes, ...inner]
  })
}

function shape(step: Step): string {
  switch (step.type) {
    case 'agent':
      return `["${step.id}<br/>${step.role.title}"]`
    case 'check':
      return `[/"${step.id}: ${step.checks.join(', ')}"/]`
    case 'do':
      return `[["${step.id}: ${step.action}"]]`
    case 'each':
      return `[("${step.id}: each ${step.list}")]`
    case 'ask':
      return `{{"${step.id}: a person"}}`
    case 'verify':
      return `{"${step.id}: ${step.gate}"}`
  }
}

function routeLines(step: Step, label: string, route: Route): string[] {
  return targetsOf(step, route).map((to) => {
    const limit = route.limit === undefined ? '' : `, at most ${route.limit}`
    return `  ${step.id} -. "${label}${limit}" .-> ${to}`
  })
}

function targetsOf(step: Step, route: Route): string[] {
  const own =
    route.target === 'author'
      ? step.reads.filter((name) => name !== 'diff' && name !== 'conflicts' && name !== step.id)
      : [nodeOf(step, route.target)]
  const then = route.then && !(route.then.target in step.on) ? [nodeOf(step, route.then.target)] : []
  return [...new Set([...own, ...then])]
}

const reserved: Readonly<Record<string, string>> = {
  end: 'done((end))',
  fail: 'failed((failed))',
  ask: 'person{{a person}}',
}

function nodeOf(step: Step, target: string): string {
  return target === 'continue' ? step.id : (reserved[target] ?? target)
}
