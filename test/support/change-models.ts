// Models that play the four roles of a change, for the real tools: what each says and does at each of its turns.
import type { Asked, Kind, ModelServer, Play, Turn } from './model-servers/model-server.ts'
import { kinds, startModelServer } from './model-servers/model-server.ts'

type Files = Readonly<Record<string, string>>

/** The whole way of a change, with one NEEDS_REVISION and one NEEDS_CHANGES. */
export interface ChangeParts {
  readonly documents: Files
  /** What the implementer writes, by the number of the task; '' is what the review asks for. */
  readonly work: Readonly<Record<string, Files>>
}

export const said = (value: object, before = 'Here it is.'): Turn => ({
  say: `${before}\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\`\n`,
})

const finding = (about: string) => [{ id: 'F1', severity: 'major', about }]
const settled = [{ id: 'F1', about: 'dealt with', status: 'resolved' }]

export function playsChange({ documents, work }: ChangeParts): Play {
  const roles: Readonly<Record<string, (asked: Asked) => Turn>> = {
    PROPOSER: (asked) =>
      isLater(asked)
        ? writing(
            asked,
            { 'changes/round-total/proposal.md': '# Round the total\n\n.5 is rounded up.\n' },
            {
              summary: 'Round the total, .5 up.',
              findings: [{ id: 'F1', status: 'fixed' }],
            },
          )
        : writing(asked, documents, { summary: 'Round the total.' }),
    CHALLENGER: (asked) =>
      isLater(asked)
        ? said({ verdict: 'APPROVED', findings: settled })
        : said({
            verdict: 'NEEDS_REVISION',
            feedback: 'F1 (major): Say which way .5 is rounded.',
            findings: finding('The rounding of .5 is said.'),
          }),
    IMPLEMENTER(asked) {
      const task = /"id": "(\d+\.\d+)"/.exec(asked.prompt)?.[1] ?? ''
      const findings = task === '' ? { findings: [{ id: 'F1', status: 'fixed' }] } : {}
      return writing(asked, work[task] ?? {}, { status: 'success', ...findings })
    },
    REVIEWER: (asked) =>
      isLater(asked)
        ? said({ verdict: 'APPROVED', findings: settled })
        : said({
            verdict: 'NEEDS_CHANGES',
            feedback: 'F1 (major): the linter complains.',
            findings: finding('The linter is content.'),
          }),
  }
  return (asked) => roles[roleOf(asked)]?.(asked) ?? { say: 'There is nothing to do.' }
}

function roleOf({ prompt }: Asked): string {
  return /You are the ([A-Z]+)\./.exec(prompt)?.[1] ?? ''
}

function isLater({ prompt }: Asked): boolean {
  return prompt.includes('This is round 2 of this step.')
}

/** One file after the other, each a tool call of its own, then the answer. */
export function writing({ turn }: Asked, files: Files, answer: object): Turn {
  const [path, text] = Object.entries(files)[turn] ?? []
  return path === undefined || text === undefined ? said(answer) : { calls: [{ write: { path, text } }] }
}

export interface Models extends AsyncDisposable {
  readonly servers: Readonly<Record<Kind, ModelServer>>
  readonly env: Readonly<Record<string, string>>
  /** What was asked by a role, each call's first request. */
  askedBy(role: string): readonly Asked[]
}

/** All three services at once. */
export async function startModels(play: Play): Promise<Models> {
  const [gemini, claude, codex] = await Promise.all(kinds.map((kind) => startModelServer(kind, play)))
  if (!gemini || !claude || !codex) throw new Error('there are three of them')
  const servers = { gemini, claude, codex }
  return {
    servers,
    env: { ...gemini.env, ...claude.env, ...codex.env },
    askedBy: (role) =>
      Object.values(servers)
        .flatMap(({ asked }) => asked)
        .filter((one) => roleOf(one) === role && one.turn === 0),
    async [Symbol.asyncDispose]() {
      await Promise.all([gemini, claude, codex].map((server) => server[Symbol.asyncDispose]()))
    },
  }
}
