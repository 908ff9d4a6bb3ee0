// Commands as they are typed, in this process: quicker than a process each, and they can be cut short at a fact.
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOutput } from '../../src/cli/output.ts'
import { openLayers } from '../../src/cli/project.ts'
import { createProgram } from '../../src/cli/program.ts'
import { reportError } from '../../src/cli/report-error.ts'
import { findVerbs } from '../../src/config/find-verbs.ts'
import type { Activity } from '../../src/model/activity.ts'
import type { JournalLine } from '../../src/model/event.ts'
import { surroundingsOf } from './run.ts'

export interface Typed {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  readonly lines: readonly JournalLine[]
}

/** Types `baton <words>`. The command is interrupted, as by Ctrl-C, once `until` holds for a line of the journal. */
export async function typeBaton(
  repository: string,
  words: readonly string[],
  until: (line: JournalLine) => boolean = () => false,
): Promise<Typed> {
  const texts = { stdout: '', stderr: '' }
  const streams = {
    stdout: { write: (text: string) => (texts.stdout += text) },
    stderr: { write: (text: string) => (texts.stderr += text) },
  }
  const lines: JournalLine[] = []
  const interrupt = new AbortController()
  const output = createOutput(streams, {
    json: words.includes('--json'),
    verbose: words.includes('--verbose'),
  })
  const surroundings = {
    ...surroundingsOf({ repository }),
    interrupt: interrupt.signal,
    onActivity: (heard: Activity) => output.activity(heard),
    onLine: (line: JournalLine) => {
      lines.push(line)
      output.event(line)
      if (until(line)) interrupt.abort()
    },
  }
  let code = 0
  const program = createProgram({
    open: () => ({ surroundings, output, input: (async function* () {})() }),
    done: (end) => (code = end),
    complain: (text) => void (texts.stderr += text),
    verbs: await findVerbs(await openLayers(repository, surroundings.env)),
  })
  try {
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    code = reportError(error, { streams, program, words, complaint: '' })
  }
  return { code, ...texts, lines }
}

/** The flags that hand the roles to a script. */
export async function scriptedBy(text: string): Promise<string[]> {
  const file = join(await mkdtemp(join(tmpdir(), 'baton-script-')), 'script.yaml')
  await writeFile(file, text)
  return ['--provider', 'scripted', '--script', file]
}
