// Liars by what they print.
import { coded, plan, planned, report, success, work } from './honest.ts'
import { thenHonestly, utters } from './liar.ts'
import type { Liar } from './liar.ts'

const passed = '{ "verdict": "PASS" }'
const fenced = (json: string): string => `\`\`\`json\n${json}\n\`\`\``

/** A reviewer who says this again when it is told that it will not do. */
const reviewer = (name: string, prints: string, says: RegExp): Liar => ({
  ...{ name, does: utters(prints), step: 'review', ends: 'failed invalid', says },
})

const words = /verdict: '.*' is not one of PASS, FAIL/

const reviewers: readonly Liar[] = [
  reviewer('answers with white space', '  \n\t\n', /No usable answer in review: .*the answer is empty/),
  reviewer('says "Done!" and nothing else', 'Done!', /no complete JSON object was found/),
  reviewer('answers with the verdict "NO"', '{ "verdict": "NO" }', words),
  reviewer('answers with the verdict in lower case', '{ "verdict": "pass" }', words),
  reviewer('answers with the verdict null', '{ "verdict": null }', words),
  reviewer('answers with a list of verdicts', '{ "verdict": ["PASS"] }', words),
  reviewer('answers with the verdict true', '{ "verdict": true }', words),
  reviewer('answers with a verdict and a reservation', '{ "verdict": "PASS, but see below" }', words),
  reviewer('answers with another field than the verdict', '{ "result": "PASS" }', /'verdict' is missing/),
  reviewer(
    'passes what it finds a blocker in',
    '{ "verdict": "PASS", "findings": [{ "id": "F1", "severity": "blocker", "about": "It loses data." }] }',
    /findings: F1 \(blocker\) is open, which contradicts 'PASS'/,
  ),
  reviewer(
    'gives two verdicts, one after the other',
    `${fenced('{ "verdict": "FAIL" }')}\n${fenced(passed)}`,
    /two different JSON objects that would both do/,
  ),
  reviewer(
    'gives two verdicts in one object',
    '{ "verdict": "FAIL", "verdict": "PASS" }',
    /"verdict" stands twice in one JSON object/,
  ),
  reviewer('quotes a file that holds a verdict', fenced(`{ "file": ${passed} }`), /'verdict' is missing/),
  reviewer(
    'quotes a list that holds a verdict',
    fenced(`[${passed}]`),
    /expected a JSON object, .* an array/,
  ),
  reviewer('answers with a list', `[${passed}, ${passed}]`, /expected a JSON object, but found an array/),
  reviewer(
    'answers with half of an object',
    fenced('{ "verdict": "PASS"'),
    /does not parse: .* ends too early/,
  ),
  reviewer('answers with a text that looks like JSON', '"{ \\"verdict\\": \\"PASS\\" }"', /found a string/),
  {
    name: 'answers on stderr alone',
    does: { runs: [['sh', '-c', `echo '${passed}' >&2`]] },
    ...{ step: 'review', ends: 'failed invalid', says: /the answer is empty/ },
  },
  {
    name: 'answers at greater length than is taken',
    does: { answer: { verdict: 'PASS', because: 'x'.repeat(60_000) } },
    ...{ step: 'review', ends: 'failed invalid', says: /has 60\d\d\d characters, at most 60000 are taken/ },
  },
  {
    name: 'gives a perfect answer and exits with 1',
    does: { answer: { verdict: 'PASS' }, ends: { exit: 1 } },
    ...{ step: 'review', ends: 'failed crash', says: /the agent ended with exit code 1/ },
  },
  {
    name: 'gives a perfect answer and is killed',
    does: { answer: { verdict: 'PASS' }, ends: { crash: true } },
    ...{
      step: 'review',
      ends: 'failed crash',
      says: /the agent (?:was ended by SIGKILL|ended with exit code 137)/,
    },
  },
  {
    name: 'gives half of an answer and exits with 1',
    does: { answer: { verdict: 'PASS' }, ends: { partial: true } },
    ...{ step: 'review', ends: 'failed crash', says: /the agent ended with exit code 1/ },
  },
]

/** Planners who lie once, are told why that will not do, and then do their work. */
const repentant = (name: string, does: Liar['does'], says: RegExp): Liar => ({
  ...{ name, does: thenHonestly(does, planned), step: 'plan', mode: 'plan_only', ends: 'repaired', says },
})

const planners: readonly Liar[] = [
  repentant(
    'says in prose that its plan is ready',
    { ...planned, as: 'none', prints: 'The plan is ready.' },
    /Answer of plan not accepted, asking again: no complete JSON object/,
  ),
  repentant(
    'adds a field that nobody asked for',
    { ...planned, answer: { plan_path: plan, approved_by: 'everybody' } },
    /unknown key 'approved_by'/,
  ),
  repentant('leaves out the field that is asked for', { ...planned, answer: {} }, /'plan_path' is missing/),
  repentant(
    "gives another role's answer",
    { ...planned, answer: { verdict: 'APPROVE' } },
    /'plan_path' is missing; .*unknown key 'verdict'/,
  ),
]

const coders: readonly Liar[] = [
  {
    name: 'does its work and says nothing',
    does: { writes: work },
    ...{ step: 'code', ends: 'failed invalid', says: /the answer is empty/, keeps: 'src/app.txt' },
  },
  {
    name: 'does nothing, says nothing and exits with 0',
    does: {},
    ...{ step: 'code', ends: 'failed invalid', says: /the answer is empty/ },
  },
  {
    name: 'does nothing and says that all is done',
    does: { answer: success },
    ...{ step: 'code', ends: 'failed invalid', says: /'notes\/report.md', but that file was not written/ },
  },
  {
    name: 'does its work well, commits it and exits with 3',
    does: coded({}, { ends: { exit: 3 } }),
    ...{ step: 'code', ends: 'failed crash', says: /the agent ended with exit code 3/, keeps: report },
  },
]

export const answerLiars: readonly Liar[] = [...reviewers, ...planners, ...coders]
