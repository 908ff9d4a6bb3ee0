/**
 * Takes the kernel's keys out of a room. Those of the session that Baton was started from (tickets, tokens, the keys of
 * encrypted folders) are handed on to every process, and no namespace parts them; so the calls that read them are
 * answered as by a kernel that has none. A program for seccomp, in the words of the classic packet filter.
 */
import { packageFile } from '../platform/package-file.ts'

interface Convention {
  /** As the kernel names it to a filter. */
  readonly name: number
  /** What of a call's number counts. */
  readonly mask: number
  /** add_key, request_key, keyctl. */
  readonly calls: readonly number[]
}

/** Each processor can run the programs of an older one, which number their calls otherwise. */
const conventions: Readonly<Record<string, readonly Convention[]>> = {
  x64: [
    { name: 0xc000003e, mask: 0xbfffffff, calls: [248, 249, 250] },
    { name: 0x40000003, mask: 0xffffffff, calls: [286, 287, 288] },
  ],
  arm64: [
    { name: 0xc00000b7, mask: 0xffffffff, calls: [217, 218, 219] },
    { name: 0x40000028, mask: 0xffffffff, calls: [309, 310, 311] },
  ],
}

export const filteredProcessors = Object.keys(conventions)

/** Written by the build, since bubblewrap reads it from a file. Undefined for a processor whose calls we do not know. */
export function keyFilterFile(processor: string): string | undefined {
  return processor in conventions ? packageFile(`dist/sandbox/keys-${processor}.bpf`) : undefined
}

/** One instruction: what to do, how many to skip if so and if not, with which number. */
type Instruction = readonly [code: number, ifSo: number, ifNot: number, operand: number]

const code = { load: 0x20, ifEqual: 0x15, and: 0x54, answer: 0x06 }
const places = { call: 0, convention: 4 }
const allow: Instruction = [code.answer, 0, 0, 0x7fff0000]
const notImplemented: Instruction = [code.answer, 0, 0, 0x00050000 | 38]

export function keyFilter(processor: string): Uint8Array {
  const known = conventions[processor] ?? []
  return encoded([[code.load, 0, 0, places.convention], ...known.flatMap(refusals), allow])
}

function refusals({ name, mask, calls }: Convention): Instruction[] {
  const refuse = calls.map((call, index): Instruction => [code.ifEqual, calls.length - index, 0, call])
  const body: Instruction[] = [
    [code.load, 0, 0, places.call],
    [code.and, 0, 0, mask],
    ...refuse,
    allow,
    notImplemented,
  ]
  return [[code.ifEqual, 0, body.length, name], ...body]
}

function encoded(program: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(program.length * 8)
  for (const [index, [what, ifSo, ifNot, operand]] of program.entries()) {
    bytes.writeUInt16LE(what, index * 8)
    bytes.writeUInt8(ifSo, index * 8 + 2)
    bytes.writeUInt8(ifNot, index * 8 + 3)
    bytes.writeUInt32LE(operand, index * 8 + 4)
  }
  return bytes
}
