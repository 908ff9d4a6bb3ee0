// A goal under supervision as it is killed: a step that brings no test, is sent back, fails and gets a sub-plan, and
// another one that waits for it. As few agents as that takes: points and the time for each grow with them.
const author = { name: 'You', email: 'you@example.invalid' }

const testOf = (name) => `const { test } = require('node:test')\ntest('${name}', () => {})\n`
const withTest = (name, value) => ({
  writes: { [`src/${name}.js`]: `exports.${name} = ${value}\n`, [`test/${name}.test.js`]: testOf(name) },
  answer: { status: 'done', summary: `${name} is ${value}`, files: [`src/${name}.js`] },
})
const withoutTest = (name) => ({
  writes: { [`src/${name}.js`]: `exports.${name} = 0\n` },
  answer: { status: 'done', summary: name, files: [`src/${name}.js`] },
})
const planned = (id, description, dependsOn = []) => ({
  ...{ id, description, complexity: 'simple', kind: 'code', dependsOn, acceptance: `${id} is there` },
})
const only = (item, entry) => ({ when: { 'item.id': item }, ...entry })

export function supervised() {
  const files = {
    'package.json': '{ "name": "words" }\n',
    '.baton/config.yaml': 'workflow: supervised\nchecks: { tests: { command: ["true"] } }\n',
  }
  return {
    commits: [
      { message: 'Nothing yet', author, files },
      { message: 'Another file', author, files: { 'notes.txt': 'Somebody else was here.\n' } },
    ],
    script: {
      name: 'supervised',
      steps: {
        plan: [
          {
            answer: {
              ...{ goal: 'Two words.', analysis: 'There is none.' },
              steps: [planned('S1', 'The first word'), planned('S2', 'The second word', ['S1'])],
            },
          },
        ],
        replan: [{ answer: { goal: 'S1', analysis: 'Too large.', steps: [planned('S1a', 'Half of it')] } }],
        code: [only('S1', withoutTest('a')), only('S1a', withTest('a', 1)), only('S2', withTest('b', 1))],
      },
      roles: {
        tester: [{ answer: { verdict: 'PASS', coverage: 'all of it' } }],
        supervisor: [
          { answer: { score: 90, verified: true, points: [{ point: 'all', holds: true, evidence: 'src' }] } },
        ],
      },
    },
    request: {
      ...{ task: 'Two words', mode: 'goal', inputs: { max_attempts: '1' } },
      flags: { provider: 'scripted', base: 'main' },
    },
    through: [/^code#2 revise code$/, /^replan#1 ok/, /^sub_execute#1 ok/, /^sub_done#1 ok/, /^goal#1 ok/],
  }
}
