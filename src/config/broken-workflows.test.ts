import { describe, expect, it } from 'vitest'
import { gateShapes } from '../gates/judge-gates.ts'
import { workflowFileSchema } from '../model/workflow-file.ts'
import { checkWorkflow } from './check-workflow.ts'
import { lineOf } from './problems.ts'
import type { Problem } from './problems.ts'
import { parseYamlDocument } from './yaml-document.ts'
import { readAs } from './zod-problems.ts'

const vocabulary = {
  actions: { 'merge-base': ['clean', 'conflict'], archive: ['nothing'], deliver: ['moved', 'none'] },
  gates: gateShapes,
  providers: ['alpha', 'beta'],
}

/** All that is wrong with a file, each problem with its fix. */
async function problemsIn(text: string): Promise<string[]> {
  const document = await parseYamlDocument('w.yaml', text)
  const { value, problems } = readAs(document, workflowFileSchema)
  return (value ? checkWorkflow(document, value, vocabulary) : problems).map(shown)
}

function shown(problem: Problem): string {
  return `${lineOf(problem)} -> ${problem.fix}`
}

interface Broken {
  readonly title: string
  readonly text: string
  readonly problems: readonly string[]
}

/** Two good steps and their roles, which most of the broken files begin with. */
const head = `name: broken
inputs: { task: { required: true }, laps: { default: 3 } }
paths: { docs: docs/dev }
roles:
  writer: { prompt: writer.md }
  critic: { prompt: critic.md, verdicts: { verdict: { PASS: ok, FAIL: revise } } }
`
const good = `${head}steps:
  - { id: write, agent: writer, reads: [review] }
  - { id: review, agent: critic, reads: [write, diff], on: { FAIL: { to: author, limit: 2, then: ask } } }
`

const nested = `${head}defaults: { on: { failed: ask, FAIL: ask, no_tests: end }, says: { start: "{role} begins.", commit: "" } }
says: { start: "Task {task_id}.", failed: "Stopped at {step}: {reason}" }
modes: { full: write, parts: { from: all, to: person } }
steps:
  - { id: write, agent: writer, with: { laps: "{laps}", deep: ["{docs}"] }, next: all }
  - id: all
    each: write.parts
    attempts: "{laps}"
    only: "{task}"
    says: { ok: "{item.id} done." }
    on: { else: { call: smaller, limit: 1, max_depth: 2, then: end } }
    steps:
      - { id: part, agent: writer, when: { item.kind: code, write: ok }, on: { failed: continue, ok: end } }
      - { id: tests, check: [unit, lint], timeout: { wall: 2m }, on: { fail: continue, no_tests: end, 5: end } }
  - id: review
    agent: critic
    reads: [write, part, diff]
    gates: [tests_pass, { score: 70 }]
    on:
      score: { to: review, limit: 1, then: { to: all, limit: "{laps}", then: fail } }
      FAIL: { to: all, once: true, then: score }
      scope: fail
      time: ask
  - { id: person, ask: "Merge {branch}, reviewed as {review.verdict}?", on: { revise: { to: write, limit: 9, then: fail } } }
fragments:
  smaller:
    - { id: again, agent: writer, with: { part: "{item}" } }
    - { id: each_again, each: again.parts, steps: one_part }
  one_part:
    - { id: piece, agent: writer, on: { failed: continue } }
`

const shape: readonly Broken[] = [
  {
    title: 'text that is no YAML',
    text: `name: x
steps:
  - id: [a
`,
    problems: [
      'w.yaml:3:9: not valid YAML: the [ is not closed -> write the closing ], in the same line or with all lines up to it indented',
    ],
  },
  {
    title: 'a tab as indentation',
    text: `name: x
steps:
	- id: a
`,
    problems: ['w.yaml:3:1: not valid YAML: Tabs are not allowed as indentation -> indent with spaces'],
  },
  {
    title: 'a key that appears twice',
    text: `name: x
steps:
  - id: a
    do: deliver
    id: b
`,
    problems: ["w.yaml:5:5: key 'id' appears twice -> keep one of them"],
  },
  {
    title: 'a key that is no word',
    text: `name: x
? [a, b]
: c
steps: []
`,
    problems: ['w.yaml:2:3: a key must be a word -> write a word before the colon'],
  },
  {
    title: 'an alias bomb',
    text: `name: x
a: &a [1,1,1,1,1,1,1,1,1,1]
b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]
c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]
d: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]
`,
    problems: ['w.yaml:1:1: aliases (*name) are used too often -> write the repeated part out'],
  },
  {
    title: 'an alias before its anchor',
    text: `name: x
inputs: *later
steps: &later []
`,
    problems: ["w.yaml:2:9: alias '*later' comes before its anchor '&later' -> write the part out"],
  },
  {
    title: 'an empty file',
    text: ``,
    problems: [
      'w.yaml:1:1: the file is empty -> write one of name, description, inputs, modes, paths, policy, checks, project, defaults, budget, gates, supervision, state, says, emits, roles, steps, fragments',
    ],
  },
  {
    title: 'an unknown key of the file',
    text: `name: x
stesp: []
steps:
  - { id: a, do: deliver }
`,
    problems: ["w.yaml:2:1: unknown key 'stesp' -> write 'steps'"],
  },
  {
    title: 'an unknown key that resembles nothing',
    text: `name: x
zzz: 1
steps:
  - { id: a, do: deliver }
`,
    problems: [
      "w.yaml:2:1: unknown key 'zzz' -> write one of name, description, inputs, modes, paths, policy, checks, project, defaults, budget, gates, supervision, state, says, emits, roles, steps, fragments",
    ],
  },
  {
    title: 'an unknown key of a step',
    text: `${head}steps:
  - id: plan
    agnet: writer
`,
    problems: ["w.yaml:9:5: unknown key 'agnet' in step 'plan' -> write 'agent'"],
  },
  {
    title: 'an unknown key of a role',
    text: `name: x
roles:
  writer: { promt: writer.md }
steps:
  - { id: a, agent: writer }
`,
    problems: ["w.yaml:3:13: unknown key 'promt' in role 'writer' -> write 'prompt'"],
  },
  {
    title: 'an unknown key of a route',
    text: `${good}  - id: last
    do: deliver
    on: { moved: { to: write, limt: 2, then: ask } }
`,
    problems: ["w.yaml:12:31: unknown key 'limt' in 'on.moved' of step 'last' -> write 'limit'"],
  },
  {
    title: 'an unknown key deep inside a step of a fragment',
    text: `${head}steps:
  - { id: a, do: deliver }
fragments:
  more:
    - { id: b, agent: writer, timeout: { walls: 3m } }
`,
    problems: ["w.yaml:11:42: unknown key 'walls' in 'timeout' of step 'b' -> write 'wall'"],
  },
  {
    title: 'a mistyped key that is required, told once',
    text: `${head}steps:
  - { id: a, agent: writer, writes: { pth: x.md } }
`,
    problems: ["w.yaml:8:39: unknown key 'pth' in 'writes' of step 'a' -> write 'path'"],
  },
  {
    title: 'a step without an id',
    text: `name: x
steps:
  - do: deliver
`,
    problems: ["w.yaml:3:5: 'id' is missing in step 1 -> add 'id:' with text"],
  },
  {
    title: 'a name with a space in it',
    text: `name: my flow
steps:
  - { id: a, do: deliver }
`,
    problems: [
      "w.yaml:1:7: 'my flow' is not a name: letters, digits, _ and - -> write a name: letters, digits, _ and -",
    ],
  },
  {
    title: 'an input whose name begins with a digit',
    text: `name: x
inputs: { 1st: {} }
steps:
  - { id: a, do: deliver }
`,
    problems: [
      "w.yaml:2:11: '1st' is not a name: letters, digits, _ and - -> write a name: letters, digits, _ and -",
    ],
  },
  {
    title: 'text where a list belongs',
    text: `${head}steps:
  - { id: a, agent: writer, reads: diff }
`,
    problems: ["w.yaml:8:36: 'reads' of step 'a' must be a list, not text -> write a list"],
  },
  {
    title: 'a number where a route belongs',
    text: `${good}  - id: last
    do: deliver
    on: { moved: 5 }
`,
    problems: [
      "w.yaml:12:18: 'on.moved' of step 'last' must be text or a map, not a number -> write text or a map",
    ],
  },
  {
    title: 'nothing where a role belongs',
    text: `name: x
roles:
  writer:
steps:
  - { id: a, do: deliver }
`,
    problems: ["w.yaml:3:10: role 'writer' must be a map, not nothing -> write a map"],
  },
  {
    title: 'a capability that does not exist',
    text: `name: x
roles:
  writer: { prompt: w.md, capabilities: [raed] }
steps:
  - { id: a, agent: writer }
`,
    problems: ["w.yaml:3:42: 'capabilities.0' of role 'writer' cannot be 'raed' -> write 'read'"],
  },
  {
    title: 'an outcome that does not exist',
    text: `name: x
roles:
  writer: { prompt: w.md, verdicts: { verdict: { PASS: good } } }
steps:
  - { id: a, agent: writer }
`,
    problems: [
      "w.yaml:3:56: 'verdicts.verdict.PASS' of role 'writer' cannot be 'good' -> write one of ok, revise, escalate, blocked, failed",
    ],
  },
  {
    title: 'a duration without a unit',
    text: `${head}steps:
  - { id: a, agent: writer, timeout: { wall: "30" } }
`,
    problems: [
      "w.yaml:8:46: '30' is not a duration such as 90s, 30m or 2h -> write a duration such as 90s, 30m or 2h",
    ],
  },
  {
    title: 'a time in which nothing can be done, and one that nobody lives to see',
    text: `${head}budget: { time: 0s }
steps:
  - { id: a, agent: writer, timeout: { wall: 0m, idle: 99999999d }, retry: { max_attempts: 2, delay: 0s } }
`,
    problems: [
      "w.yaml:7:17: '0s' is not a duration longer than 0 and shorter than 100 years, such as 90s, 30m or 2h -> write a duration longer than 0 and shorter than 100 years, such as 90s, 30m or 2h",
      "w.yaml:9:46: '0m' is not a duration longer than 0 and shorter than 100 years, such as 90s, 30m or 2h -> write a duration longer than 0 and shorter than 100 years, such as 90s, 30m or 2h",
      "w.yaml:9:56: '99999999d' is not a duration longer than 0 and shorter than 100 years, such as 90s, 30m or 2h -> write a duration longer than 0 and shorter than 100 years, such as 90s, 30m or 2h",
    ],
  },
  {
    title: 'a fragment where a step has to stand',
    text: `${head}steps:
  - { id: a, agent: writer, on: { revise: mend } }
fragments:
  mend:
    - { id: b, agent: writer }
`,
    problems: [
      "w.yaml:8:43: route 'revise' of step 'a' leads to 'mend', which is no step of this list -> write { call: mend, limit: 1, then: fail }, because 'mend' is a fragment",
    ],
  },
  {
    title: 'a list of a step that is not named',
    text: `${head}steps:
  - { id: a, agent: writer }
  - { id: b, each: a, steps: [{ id: c, agent: writer }] }
`,
    problems: [
      "w.yaml:9:20: 'each' names step 'a', but not which list of its answer -> write 'a.<field>', for example 'a.tasks'",
    ],
  },
  {
    title: 'a condition that no value of its input can meet',
    text: `name: x
inputs: { docs: { options: ["on", "off"], default: "off" } }
steps:
  - { id: a, do: deliver, when: { docs: onn } }
`,
    problems: [
      "w.yaml:4:41: 'when' of step 'a' asks whether 'docs' is 'onn', which it cannot be -> write 'on'",
    ],
  },
  {
    title: 'a time budget that is no time',
    text: `${head}steps:
  - { id: a, agent: writer, budget: { time: soon } }
`,
    problems: [
      "w.yaml:8:45: 'soon' is not a duration such as 90s, 30m or 2h -> write a duration such as 90s, 30m or 2h",
    ],
  },
  {
    title: 'a limit that is not whole',
    text: `${good}  - id: last
    do: deliver
    on: { moved: { to: write, limit: 1.5, then: ask } }
`,
    problems: [
      "w.yaml:12:38: 'on.moved.limit' of step 'last' must be a whole number or text, not a fraction -> write a whole number or text",
    ],
  },
  {
    title: 'too many repairs',
    text: `${head}steps:
  - { id: a, agent: writer, repair: 11 }
`,
    problems: ["w.yaml:8:37: 'repair' of step 'a' must be at most 10 -> write a number that is at most 10"],
  },
  {
    title: 'a list of steps with nothing in it',
    text: `name: x
steps: []
`,
    problems: ["w.yaml:2:8: 'steps' must not be empty -> add at least one entry"],
  },
]

const steps: readonly Broken[] = [
  {
    title: 'a step without a kind',
    text: `${good}  - { id: last, reads: [write] }
`,
    problems: [
      "w.yaml:10:5: step 'last' does not say what to do -> add one of agent, check, do, each, ask, verify",
    ],
  },
  {
    title: 'a step of two kinds',
    text: `${good}  - { id: last, do: deliver, check: tests }
`,
    problems: [
      "w.yaml:10:17: step 'last' has both 'check' and 'do' -> keep one of them, and make a second step of the other",
    ],
  },
  {
    title: 'two steps with one id, one of them inside a list',
    text: `${good}  - id: all
    each: write.parts
    steps:
      - { id: review, agent: writer }
`,
    problems: ["w.yaml:13:15: another step is already called 'review' -> give one of them another id"],
  },
  {
    title: 'a reserved word as an id',
    text: `${good}  - { id: end, do: deliver }
`,
    problems: [
      "w.yaml:10:11: 'end' is a reserved word and cannot be an id -> choose another id than end, fail, ask, continue, author, diff, conflicts",
    ],
  },
  {
    title: 'a built-in reading as an id',
    text: `${good}  - { id: diff, do: deliver }
`,
    problems: [
      "w.yaml:10:11: 'diff' is a reserved word and cannot be an id -> choose another id than end, fail, ask, continue, author, diff, conflicts",
    ],
  },
  {
    title: 'a role key on a step without a role',
    text: `${good}  - { id: last, do: deliver, model: big }
`,
    problems: ["w.yaml:10:30: 'model' of step 'last' is only for 'agent' steps -> remove 'model'"],
  },
  {
    title: 'attempts outside a list',
    text: `${good}  - { id: last, do: deliver, attempts: 2 }
`,
    problems: ["w.yaml:10:30: 'attempts' of step 'last' is only for 'each' steps -> remove 'attempts'"],
  },
  {
    title: 'a list without steps',
    text: `${good}  - { id: all, each: write.parts }
`,
    problems: ["w.yaml:10:5: 'each' needs 'steps' -> add 'steps:' with a list of steps or a fragment's name"],
  },
  {
    title: 'a fragment that contains itself',
    text: `${good}  - { id: all, each: write.parts, steps: part }
fragments:
  part:
    - { id: again, each: write.parts, steps: part }
`,
    problems: ["w.yaml:13:46: fragment 'part' contains itself -> use a route with 'call', which has a limit"],
  },
  {
    title: 'a role without a prompt',
    text: `name: x
roles:
  writer: { title: WRITER }
steps:
  - { id: a, agent: writer }
`,
    problems: ["w.yaml:3:3: role 'writer' has no prompt -> add 'prompt: writer.md'"],
  },
  {
    title: 'a verdict table without words',
    text: `name: x
roles:
  writer: { prompt: w.md, verdicts: { verdict: {} } }
steps:
  - { id: a, agent: writer }
`,
    problems: [
      "w.yaml:3:39: verdict field 'verdict' lists no words -> add words, such as { PASS: ok, FAIL: revise }",
    ],
  },
  {
    title: 'a verdict word that is another outcome',
    text: `name: x
roles:
  writer: { prompt: w.md, verdicts: { status: { failed: ok } } }
steps:
  - { id: a, agent: writer }
`,
    problems: [
      "w.yaml:3:57: verdict word 'failed' is also an outcome and cannot mean 'ok' -> write 'failed'",
    ],
  },
  {
    title: 'a timeout that is a variable',
    text: `${head}steps:
  - { id: a, agent: writer, timeout: { wall: "{laps}" } }
`,
    problems: ["w.yaml:8:46: 'timeout.wall' cannot be a variable -> write a duration such as 90s, 30m or 2h"],
  },
  {
    title: 'a step that nothing leads to',
    text: `${head}steps:
  - { id: a, agent: writer, next: c }
  - { id: b, agent: writer }
  - { id: c, do: deliver }
`,
    problems: [
      "w.yaml:9:11: step 'b' can never be reached -> lead a route to it, begin a mode there, or remove it",
    ],
  },
  {
    title: 'a step before the first step of every mode',
    text: `${head}modes: { short: b }
steps:
  - { id: a, agent: writer }
  - { id: b, do: deliver }
`,
    problems: [
      "w.yaml:9:11: step 'a' can never be reached -> lead a route to it, begin a mode there, or remove it",
    ],
  },
  {
    title: 'a fragment that nothing uses',
    text: `${good}fragments:
  more:
    - { id: b, do: archive }
    - { id: c, do: archive }
`,
    problems: ["w.yaml:11:3: fragment 'more' is never used -> call it, or remove it"],
  },
  {
    title: "a role under the key 'role'",
    text: `${good}  - { id: last, role: writer }
`,
    problems: ["w.yaml:10:17: unknown key 'role' in step 'last' -> write 'agent: writer'"],
  },
  {
    title: 'a condition that is written as a text',
    text: `${good}  - { id: last, do: deliver, when: "laps == 3" }
  - { id: more, do: deliver, when: "{review} != 'FAIL'" }
  - { id: other, do: deliver, when: laps is 3 }
  - { id: only, do: deliver, when: review = PASS }
`,
    problems: [
      "w.yaml:10:36: 'when' of step 'last' must be a map, not text -> write when: { laps: 3 }",
      "w.yaml:11:36: 'when' of step 'more' must be a map, not text -> write a map of what has to be equal, such as when: { review: <value> }",
      "w.yaml:12:37: 'when' of step 'other' must be a map, not text -> write when: { laps: 3 }",
      "w.yaml:13:36: 'when' of step 'only' must be a map, not text -> write when: { review: PASS }",
    ],
  },
]

const routes: readonly Broken[] = [
  {
    title: 'a target that does not exist',
    text: `${good}  - id: last
    do: deliver
    on: { moved: wirte }
`,
    problems: [
      "w.yaml:12:18: route 'moved' of step 'last' leads to 'wirte', which is no step of this list -> write 'write'",
    ],
  },
  {
    title: 'a target in another list',
    text: `${good}  - id: all
    each: write.parts
    steps:
      - { id: part, agent: writer, on: { failed: write } }
`,
    problems: [
      "w.yaml:13:50: route 'failed' of step 'part' leads to 'write', which is no step of this list -> write one of part, end, fail, ask",
    ],
  },
  {
    title: 'a route back without a limit',
    text: `${good}  - id: last
    do: deliver
    on: { moved: write }
`,
    problems: [
      "w.yaml:12:18: route 'moved' of step 'last' leads back to 'write' without a limit -> write { to: write, limit: 3, then: ask }",
    ],
  },
  {
    title: 'a route to the same step without a limit',
    text: `${good}  - id: last
    do: deliver
    on: { moved: { to: last } }
`,
    problems: [
      "w.yaml:12:18: route 'moved' of step 'last' leads back to 'last' without a limit -> write { to: last, limit: 3, then: ask }",
    ],
  },
  {
    title: 'a limit without then',
    text: `${good}  - id: last
    do: deliver
    on: { moved: { to: write, limit: 2 } }
`,
    problems: [
      "w.yaml:12:18: route 'moved' of step 'last' has a limit but no 'then' -> add 'then: ask' or 'then: fail'",
    ],
  },
  {
    title: 'a then that leads back without a limit of its own',
    text: `${good}  - id: last
    do: deliver
    on: { moved: { to: review, limit: 2, then: write } }
`,
    problems: [
      "w.yaml:12:48: route 'moved.then' of step 'last' leads back to 'write' without a limit -> write { to: write, limit: 3, then: ask }",
    ],
  },
  {
    title: 'a then that names a label without once',
    text: `${good}  - id: last
    do: deliver
    on:
      moved: { to: review, limit: 2, then: failed }
      failed: ask
`,
    problems: [
      "w.yaml:13:44: 'then' names the label 'failed', which only a route with 'once' may do -> write a step or one of end, fail, ask",
    ],
  },
  {
    title: 'labels that send each other round',
    text: `${good}  - id: last
    do: deliver
    on:
      moved: { to: write, once: true, then: failed }
      failed: { to: review, once: true, then: moved }
`,
    problems: [
      "w.yaml:13:45: 'then: failed' leads round in a circle -> write 'then: ask'",
      "w.yaml:14:47: 'then: moved' leads round in a circle -> write 'then: ask'",
    ],
  },
  {
    title: 'once without then',
    text: `${good}  - id: last
    do: deliver
    on: { moved: { to: write, once: true } }
`,
    problems: ["w.yaml:12:18: route 'moved' of step 'last' has 'once' but no 'then' -> add 'then: ask'"],
  },
  {
    title: 'continue outside a list',
    text: `${good}  - { id: last, do: deliver, on: { moved: continue } }
`,
    problems: ["w.yaml:10:43: 'continue' is only possible inside 'each' -> write 'end', 'fail' or 'ask'"],
  },
  {
    title: 'author on a step that reads no step',
    text: `${good}  - { id: last, agent: critic, reads: [diff], on: { FAIL: { to: author, limit: 1, then: ask } } }
`,
    problems: [
      "w.yaml:10:65: 'author' needs a step of this list in 'reads' of step 'last' -> add 'reads:' with the step whose work 'last' looks at",
    ],
  },
  {
    title: 'author without a limit',
    text: `${head}steps:
  - { id: write, agent: writer }
  - { id: review, agent: critic, reads: [write], on: { FAIL: author } }
`,
    problems: [
      "w.yaml:9:62: route 'FAIL' of step 'review' leads back to 'author' without a limit -> write { to: author, limit: 3, then: ask }",
    ],
  },
  {
    title: 'a route with neither to nor call',
    text: `${good}  - { id: last, do: deliver, on: { moved: { limit: 2, then: ask } } }
`,
    problems: [
      "w.yaml:10:43: route 'moved' of step 'last' needs either 'to' or 'call' -> write 'to' with a step or 'call' with a fragment",
    ],
  },
  {
    title: 'a call of a fragment that does not exist',
    text: `${good}  - { id: last, do: deliver, on: { moved: { call: mroe, limit: 1 } } }
fragments:
  more:
    - { id: b, do: archive }
`,
    problems: [
      "w.yaml:10:51: route 'moved' of step 'last' calls 'mroe', which is no fragment -> write 'more'",
    ],
  },
  {
    title: 'a call without a limit',
    text: `${good}  - { id: last, do: deliver, on: { moved: { call: more } } }
fragments:
  more:
    - { id: b, do: archive }
`,
    problems: ["w.yaml:10:43: route 'moved' of step 'last' calls 'more' without a limit -> add 'limit: 1'"],
  },
  {
    title: 'next that leads back',
    text: `${good}  - { id: last, do: deliver, next: write }
`,
    problems: [
      "w.yaml:10:36: 'next' of step 'last' leads back to 'write' -> write on: { ok: { to: write, limit: 3, then: ask } }",
    ],
  },
  {
    title: 'next that leads nowhere',
    text: `${good}  - { id: more, do: archive, next: lsat }
  - { id: last, do: deliver }
`,
    problems: [
      "w.yaml:10:36: 'next' of step 'more' names 'lsat', which is no step of this list -> write 'last'",
    ],
  },
  {
    title: 'a label that is no verdict of the role',
    text: `${head}steps:
  - { id: write, agent: writer }
  - { id: review, agent: critic, on: { FIAL: ask } }
`,
    problems: ["w.yaml:9:40: 'FIAL' is not how step 'review' can end -> write 'FAIL'"],
  },
  {
    title: 'a label of another action',
    text: `${good}  - { id: last, do: deliver, on: { conflict: ask } }
`,
    problems: [
      "w.yaml:10:36: 'conflict' is not how step 'last' can end -> write one of ok, revise, escalate, blocked, failed, else, time, scope, moved, none",
    ],
  },
  {
    title: 'a default route that leads back for one of the steps',
    text: `${head}defaults: { on: { failed: write } }
steps:
  - { id: first, do: archive }
  - { id: write, agent: writer, on: { failed: ask } }
  - { id: last, do: deliver }
`,
    problems: [
      "w.yaml:7:27: route 'failed' of step 'last' leads back to 'write' without a limit -> write { to: write, limit: 3, then: ask }",
    ],
  },
  {
    title: 'a moment of speaking that never comes',
    text: `${good}  - { id: last, do: deliver, says: { strat: "Hello." } }
`,
    problems: ["w.yaml:10:38: 'strat' is no moment of step 'last' -> write 'start'"],
  },
]

const names: readonly Broken[] = [
  {
    title: 'a role',
    text: `${good}  - { id: last, agent: wirter }
`,
    problems: ["w.yaml:10:24: step 'last' names role 'wirter', which does not exist -> write 'writer'"],
  },
  {
    title: 'a role in a file without roles',
    text: `name: x
steps:
  - { id: a, agent: writer }
`,
    problems: [
      "w.yaml:3:21: step 'a' names role 'writer', which does not exist -> add 'writer' under 'roles'",
    ],
  },
  {
    title: 'a provider',
    text: `name: x
roles:
  writer: { prompt: w.md, provider: alhpa }
steps:
  - { id: a, agent: writer }
`,
    problems: ["w.yaml:3:37: unknown provider 'alhpa' -> write 'alpha'"],
  },
  {
    title: 'a step in reads',
    text: `${good}  - { id: last, agent: writer, reads: [write, reveiw] }
`,
    problems: ["w.yaml:10:47: 'reads' of step 'last' names 'reveiw', which is no step -> write 'review'"],
  },
  {
    title: 'a gate',
    text: `${good}  - { id: last, agent: writer, gates: [tests_pas] }
`,
    problems: ["w.yaml:10:40: unknown gate 'tests_pas' -> write 'tests_pass'"],
  },
  {
    title: 'a gate with parameters',
    text: `${good}  - { id: last, agent: writer, gates: [tests_pass, { scroe: 70 }] }
`,
    problems: ["w.yaml:10:52: unknown gate 'scroe' -> write 'score'"],
  },
  {
    title: 'a gate of a step that has none',
    text: `${good}  - { id: last, ask: "Well?", gates: [tests_pass] }
`,
    problems: ["w.yaml:10:31: 'gates' of step 'last' is only for 'agent' and 'do' steps -> remove 'gates'"],
  },
  {
    title: "a gate that judges an agent's work, on an action",
    text: `${good}  - { id: last, do: deliver, gates: [tests_pass, commit_is_new] }
`,
    problems: [
      "w.yaml:10:50: gate 'commit_is_new' judges what an agent did, and step 'last' has no agent -> remove 'commit_is_new'",
    ],
  },
  {
    title: 'values of gates',
    text: `${good}  - id: last
    agent: writer
    gates: [{ tests_pass: 3 }, score, { score: high }, { score: 70, if_presnt: true }]
`,
    problems: [
      "w.yaml:12:13: gate 'tests_pass' takes no value -> write 'tests_pass'",
      "w.yaml:12:32: gate 'score' needs a number -> write '{ score: 70 }'",
      "w.yaml:12:39: gate 'score' needs a number -> write '{ score: 70 }'",
      "w.yaml:12:56: gate 'score' does not take 'if_presnt' -> remove 'if_presnt'",
    ],
  },
  {
    title: 'the plan of a gate',
    text: `${head}steps:
  - { id: plan, agent: writer, writes: plan.md }
  - { id: write, agent: writer }
  - id: last
    agent: writer
    gates: [checklist_done, { tests_not_weakened: paln }, { no_unplanned_deletions: write }]
`,
    problems: [
      "w.yaml:12:13: gate 'checklist_done' needs the step that wrote the plan -> write '{ checklist_done: plan }'",
      "w.yaml:12:29: gate 'tests_not_weakened' names 'paln', which is no step -> write '{ tests_not_weakened: plan }'",
      "w.yaml:12:59: gate 'no_unplanned_deletions' names 'write', which writes no file -> write '{ no_unplanned_deletions: plan }'",
    ],
  },
  {
    title: 'an action',
    text: `${good}  - { id: last, do: merge }
`,
    problems: ["w.yaml:10:21: unknown action 'merge' -> write one of merge-base, archive, deliver"],
  },
  {
    title: 'a fragment of a list',
    text: `${good}  - { id: all, each: write.parts, steps: prat }
fragments:
  part:
    - { id: b, do: archive }
`,
    problems: ["w.yaml:10:42: there is no fragment 'prat' -> write 'part'"],
  },
  {
    title: 'the step of a list',
    text: `${good}  - { id: all, each: wrte.parts, steps: [{ id: b, do: archive }] }
`,
    problems: ["w.yaml:10:22: 'each' names 'wrte', which is no step -> write 'write.parts'"],
  },
  {
    title: 'a variable in a path',
    text: `name: x
paths: { plans: "{dcos}/plans", docs: docs }
steps:
  - { id: a, do: deliver }
`,
    problems: [
      "w.yaml:2:18: unknown variable '{dcos}' in 'paths.plans' -> write one of task, task_id, slug, feat, branch, base, worktree, run, mode",
    ],
  },
  {
    title: 'a path that is written later',
    text: `name: x
paths: { plans: "{docs}/plans", docs: docs }
steps:
  - { id: a, do: deliver }
`,
    problems: [
      "w.yaml:2:18: '{docs}' is used before it is written in 'paths.plans' -> write 'docs' above it",
    ],
  },
  {
    title: 'a variable of the branch that is not known yet',
    text: `name: x
policy: { branch: "task/{branch}" }
steps:
  - { id: a, do: deliver }
`,
    problems: [
      "w.yaml:2:25: unknown variable '{branch}' in 'policy.branch' -> write one of task, task_id, slug, feat, base, run, mode",
    ],
  },
  {
    title: 'a variable in what a step writes',
    text: `${good}  - id: last
    agent: writer
    writes: "{docs}/{faet}.md"
`,
    problems: ["w.yaml:12:21: unknown variable '{faet}' in 'writes' of step 'last' -> write '{feat}'"],
  },
  {
    title: 'a variable deep inside with',
    text: `${good}  - id: last
    agent: writer
    with: { one: { two: ["{docs}", "see {taks.id}"] } }
`,
    problems: [
      "w.yaml:12:41: unknown variable '{taks.id}' in 'with.one.two.1' of step 'last' -> write '{task.id}'",
    ],
  },
  {
    title: 'a variable in a key of with',
    text: `${good}  - id: last
    agent: writer
    with: { "{taks.id}_name": "x" }
`,
    problems: ["w.yaml:12:13: unknown variable '{taks.id}' in 'with' of step 'last' -> write '{task.id}'"],
  },
  {
    title: 'a variable on the second line of a text',
    text: `${good}  - id: last
    do: deliver
    says:
      ok: |
        Done.
        Merge {brnach} now.
`,
    problems: ["w.yaml:15:15: unknown variable '{brnach}' in 'says.ok' of step 'last' -> write '{branch}'"],
  },
  {
    title: 'a variable in a question',
    text: `${good}  - { id: person, ask: "Merge {bransh}?" }
`,
    problems: ["w.yaml:10:31: unknown variable '{bransh}' in 'ask' of step 'person' -> write '{branch}'"],
  },
  {
    title: 'a variable in a limit',
    text: `${good}  - { id: last, do: deliver, on: { moved: { to: write, limit: "{lasp}", then: ask } } }
`,
    problems: [
      "w.yaml:10:64: unknown variable '{lasp}' in 'on.moved.limit' of step 'last' -> write '{laps}'",
    ],
  },
  {
    title: 'a variable in what a role may write',
    text: `name: x
roles:
  writer: { prompt: w.md, may_write: ["{dcos}/"] }
paths: { docs: docs }
steps:
  - { id: a, agent: writer }
`,
    problems: ["w.yaml:3:40: unknown variable '{dcos}' in 'may_write.0' of role 'writer' -> write '{docs}'"],
  },
  {
    title: 'an item where there is no list',
    text: `${good}  - { id: last, do: deliver, says: { ok: "{item.id}" } }
`,
    problems: [
      "w.yaml:10:43: there is no '{item}' outside 'each' in 'says.ok' of step 'last' -> remove '{item.id}'",
    ],
  },
  {
    title: 'a condition',
    text: `${good}  - { id: last, do: deliver, when: { lap: 3 } }
`,
    problems: ["w.yaml:10:38: 'when' asks for 'lap', which is neither an input nor a step -> write 'laps'"],
  },
]

const inputs: readonly Broken[] = [
  {
    title: 'a default that is no option',
    text: `name: x
inputs: { kind: { options: [small, large], default: smal } }
steps:
  - { id: a, do: deliver }
`,
    problems: [
      "w.yaml:2:53: the default 'smal' of input 'kind' is not a value that it accepts -> write 'small'",
    ],
  },
  {
    title: 'a default that does not match its pattern',
    text: `name: x
inputs: { kind: { pattern: "^[a-z]+$", default: A1 } }
steps:
  - { id: a, do: deliver }
`,
    problems: [
      "w.yaml:2:49: the default 'A1' of input 'kind' is not a value that it accepts -> write text that matches ^[a-z]+$",
    ],
  },
  {
    title: 'a pattern that is no regular expression',
    text: `name: x
inputs: { kind: { pattern: "[a-" } }
steps:
  - { id: a, do: deliver }
`,
    problems: [
      'w.yaml:2:28: the pattern of input \'kind\' is not a regular expression -> write a regular expression such as "^[a-z0-9-]+$"',
    ],
  },
  {
    title: 'a default that is no duration',
    text: `name: x
inputs: { time: { type: duration, default: soon } }
steps:
  - { id: a, do: deliver }
`,
    problems: [
      "w.yaml:2:44: the default 'soon' of input 'time' is not a value that it accepts -> write a duration longer than 0 and shorter than 100 years, such as 90s, 30m or 2h",
    ],
  },
  {
    title: 'one value as the default of a list',
    text: `name: x
inputs: { tasks: { list: true, default: one } }
steps:
  - { id: a, do: deliver }
`,
    problems: [
      "w.yaml:2:41: the default of input 'tasks' must be a list, because the input is one -> write [...]",
    ],
  },
  {
    title: 'a mode that begins nowhere',
    text: `${good}modes: { quick: reviwe }
`,
    problems: [
      "w.yaml:10:17: mode 'quick' begins at 'reviwe', which is no step of 'steps' -> write 'review'",
    ],
  },
  {
    title: 'a mode that stops before it begins',
    text: `${good}modes: { quick: { from: review, to: write }, all: write }
`,
    problems: [
      "w.yaml:10:37: mode 'quick' stops after 'write', which comes before 'review' -> write 'review' or a later step",
    ],
  },
  {
    title: 'a mode that begins inside a list',
    text: `${good}  - id: all
    each: write.parts
    steps:
      - { id: part, agent: writer }
modes: { parts: part, full: write }
`,
    problems: [
      "w.yaml:14:17: mode 'parts' begins at 'part', which is no step of 'steps' -> write one of write, review, all",
    ],
  },
  {
    title: 'an option of the input mode that is no mode',
    text: `name: x
inputs: { mode: { options: [full, quik] } }
modes: { full: a, quick: b }
steps:
  - { id: a, do: archive }
  - { id: b, do: deliver }
`,
    problems: ["w.yaml:2:35: there is no mode 'quik' -> write 'quick'"],
  },
]

describe('A workflow file is refused with file, line, column and what to write instead', () => {
  it('but not a file in which everything exists (R001-134)', async () => {
    expect(await problemsIn(good)).toEqual([])
  })

  it('nor a file with lists in lists, fragments, calls and words of every kind', async () => {
    expect(await problemsIn(nested)).toEqual([])
  })

  it('and JSON is read as YAML is (C-80, R000-03)', async () => {
    const text = '{\n  "name": "json",\n  "steps": [\n    { "id": "hand_over", "do": "delivr" }\n  ]\n}'
    expect(await problemsIn(text)).toEqual(["w.yaml:4:32: unknown action 'delivr' -> write 'deliver'"])
  })

  describe('when its shape is wrong', () => {
    it.each(shape)('$title is refused', async ({ text, problems }) =>
      expect(await problemsIn(text)).toEqual(problems),
    )
  })

  describe('when a step is wrong', () => {
    it.each(steps)('$title is refused', async ({ text, problems }) =>
      expect(await problemsIn(text)).toEqual(problems),
    )
  })

  describe('when a route is wrong', () => {
    it.each(routes)('$title is refused', async ({ text, problems }) =>
      expect(await problemsIn(text)).toEqual(problems),
    )
  })

  describe('when it names what does not exist', () => {
    it.each(names)('$title is refused', async ({ text, problems }) =>
      expect(await problemsIn(text)).toEqual(problems),
    )
  })

  describe('when inputs or modes are wrong', () => {
    it.each(inputs)('$title is refused', async ({ text, problems }) =>
      expect(await problemsIn(text)).toEqual(problems),
    )
  })
})
