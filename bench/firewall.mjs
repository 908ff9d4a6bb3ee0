// What a tool call pays for the firewall: the decision itself, and the way to it and back.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { cleanEnvironment, interleave } from './measure.mjs'

/** What agents run all day, short and long, allowed and denied. */
const commands = [
  'npm test 2>&1 | tail -20',
  'git status --short && git diff --stat',
  'git checkout main',
  "sed -n '1,200p' src/index.ts",
  'grep -rn "needle" src --include="*.ts" | head -50',
  'git add -A && git commit -m "$(cat <<\'E\'\nfeat: a thing\n\nWith a body.\nE\n)"',
  'for f in $(git diff --name-only); do echo "$f"; wc -l "$f"; done',
  'bash -c "cd src && npm run build && echo done" > /tmp/out.txt 2>&1',
  `cat > src/long.ts <<'E'\n${'const value = { a: 1, b: [2, 3] }\n'.repeat(200)}E`,
  'find . -name "*.ts" -not -path "./node_modules/*" -exec grep -l needle {} +',
]

export async function measureFirewall({ load, dir, decisions, rounds }) {
  const { decide } = await load('firewall/decide.js')
  const { rulesForRole } = await load('firewall/rules-for-role.js')
  const { openHookChannel } = await load('platform/hook-channel.js')
  const role = { name: 'worker', capabilities: ['read', 'edit', 'shell', 'commit'], mayWrite: ['**'] }
  const rules = rulesForRole({ role, worktree: '/srv/tree' })
  const times = Array.from({ length: decisions }, (_, at) => {
    const command = commands[at % commands.length]
    const startedAt = performance.now()
    decide(rules, { kind: 'shell', name: 'shell', command })
    return (performance.now() - startedAt) * 1000
  })
  // The first ones are read by code that V8 has not compiled yet.
  const sorted = times.slice(decisions / 10).toSorted((left, right) => left - right)
  const at = (share) => sorted[Math.floor(sorted.length * share)]
  mkdirSync(dir, { recursive: true })
  const env = cleanEnvironment(dir)
  const channel = await openHookChannel({
    ...{ channel: join(dir, 'channel'), bin: join(dir, 'bin'), path: env.PATH },
    answer: async (raw) => {
      const { allow } = decide(rules, { kind: 'shell', name: 'shell', command: JSON.parse(raw).command })
      return { stdout: JSON.stringify({ allow }), code: 0 }
    },
  })
  try {
    const question = JSON.stringify({ command: commands[1] })
    const [floor, hook] = await interleave(
      [
        { act: () => run(process.execPath, ['-e', '0'], { env, question }) },
        { act: () => run(channel.command, [], { env, question }) },
      ],
      rounds,
    )
    return { decision: { p50: at(0.5), p99: at(0.99), count: sorted.length }, floor, hook }
  } finally {
    await channel.close()
  }
}

async function run(command, args, { env, question }) {
  const child = spawn(command, args, { env, stdio: ['pipe', 'ignore', 'inherit'] })
  child.stdin.on('error', () => {})
  child.stdin.end(question)
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${command} ended with ${code}`)
}
