import { instructionFiles } from '../agents/instruction-files.ts'
import { readBlob } from '../git/facts.ts'
import type { RunFolder } from '../journal/run-folder.ts'
import type { Site } from './workplace.ts'

const longest = 60_000
const shortPointer = 200

const known = new WeakMap<RunFolder, Promise<string>>()

/**
 * The project's own instructions, the same for every provider. As they were where the branch began: what an agent
 * writes into them is for people to read first.
 */
export function projectInstructions(site: Site): Promise<string> {
  const found = known.get(site.folder) ?? read(site)
  known.set(site.folder, found)
  return found
}

async function read({ repo, start }: Site): Promise<string> {
  const texts = await Promise.all(instructionFiles.map((name) => readBlob(repo, start, name)))
  return togetherOf(instructionFiles.map((name, at) => ({ name, text: texts[at]?.trim() ?? '' })))
}

export interface InstructionFile {
  readonly name: string
  readonly text: string
}

/** Each text once; a file that only points to another says nothing of its own. */
export function togetherOf(files: readonly InstructionFile[]): string {
  const kept: InstructionFile[] = []
  for (const file of files) {
    const isPointer = file.text.length < shortPointer && kept.some(({ name }) => file.text.includes(name))
    if (file.text !== '' && !isPointer && !kept.some(({ text }) => text === file.text)) kept.push(file)
  }
  return kept.map(({ name, text }) => `From the project's ${name}:\n${shortened(text, name)}`).join('\n\n')
}

function shortened(text: string, name: string): string {
  return text.length <= longest
    ? text
    : `${text.slice(0, longest)}\n(cut off here: read '${name}' for the rest)`
}
