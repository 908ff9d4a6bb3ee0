import { join } from 'node:path'
import type { AgentRequest } from '../model/agent.ts'
import { denied } from '../model/tool-call.ts'
import type { HookDialect } from '../model/tool-call.ts'
import { writeFile } from '../platform/quick-files.ts'

export interface HookFiles {
  /** Run by the tool before every tool call. */
  readonly ask: string
  /** Run by the tool when it starts; leaves the canary. */
  readonly start: string
  readonly canary: string
  /** Read anew for every tool call: who could change them would be asked no more. */
  readonly sealed: readonly string[]
}

/** How an answer of the dialect begins, so that anything else can be told from one without a JSON parser. */
export interface AnswerShapes {
  readonly allow: string
  readonly deny: string
  /** The tool takes silence for consent and knows no other word for it. */
  readonly allowSilently?: true
}

/** Shorter than the time after which the tools give up on a hook and go ahead. */
const answerSeconds = 10

/**
 * All three tools go ahead when their hook crashes, hangs or prints something they do not understand. So none of
 * them is given the hook itself but a script around it, that makes a denial of everything but a clear answer.
 */
export async function writeHook(
  request: AgentRequest,
  dialect: HookDialect,
  shapes: AnswerShapes,
): Promise<HookFiles> {
  const files = {
    ask: join(request.home, 'hook-ask.sh'),
    start: join(request.home, 'hook-start.sh'),
    canary: join(request.home, 'hook-alive'),
  }
  const command = request.hook?.command ?? (await writeConsent(request, dialect))
  const broken = dialect.answer(denied('hook:broken', 'the firewall gave no clear answer')).stdout
  await writeFile(files.ask, askScript({ command, broken: broken.trim(), shapes, canary: files.canary }), {
    mode: 0o700,
  })
  await writeFile(files.start, startScript(command, files.canary), { mode: 0o700 })
  // The firewall's own client lies outside of the home.
  const consent = request.hook ? [] : [command]
  return { ...files, sealed: [files.ask, files.start, ...consent] }
}

/** Without a firewall the role's tools are the limit: what it has been given, it may use. */
async function writeConsent(request: AgentRequest, dialect: HookDialect): Promise<string> {
  const file = join(request.home, 'hook-consent.sh')
  const { stdout } = dialect.answer({ allow: true, rule: 'role', reason: '' })
  await writeFile(file, `#!/bin/sh\ncat >/dev/null\nprintf '%s\\n' ${quoted(stdout.trim())}\n`, {
    mode: 0o700,
  })
  return file
}

interface Asking {
  readonly command: string
  readonly broken: string
  readonly shapes: AnswerShapes
  readonly canary: string
}

/** Without its start having been seen, whatever is answered is no answer. */
function askScript({ command, broken, shapes, canary }: Asking): string {
  return `#!/bin/sh
${limited(command)}
test -e ${quoted(canary)} || answer=
case "$answer" in
  ${quoted(shapes.allow)}*'}') test "$code" -eq 0 && { ${shapes.allowSilently ? ':' : `printf '%s\\n' "$answer"`}; exit 0; } ;;
  ${quoted(shapes.deny)}*'}') printf '%s\\n' "$answer"; exit 0 ;;
esac
printf '%s\\n' ${quoted(broken)} || { echo 'Permission denied: the firewall gave no clear answer' >&2; exit 2; }
`
}

function startScript(command: string, canary: string): string {
  return `#!/bin/sh
${limited(command)}
test "$code" -eq 0 && : >${quoted(canary)}
exit 0
`
}

/** macOS has no timeout(1). */
function limited(command: string): string {
  const word = quoted(command)
  return `PATH=/usr/bin:/bin:/usr/local/bin
if command -v timeout >/dev/null 2>&1; then
  answer=$(timeout -k 1 ${answerSeconds} ${word} 2>/dev/null)
else
  answer=$(exec 3<&0; { exec ${word} <&3 2>/dev/null; } & asked=$!
    { sleep ${answerSeconds}; kill -9 "$asked"; } >/dev/null 2>&1 & clock=$!
    wait "$asked"; ended=$?; kill "$clock" 2>/dev/null; exit "$ended")
fi
code=$?`
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
