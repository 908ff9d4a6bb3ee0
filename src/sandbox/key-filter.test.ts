import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { filteredProcessors, keyFilter, keyFilterFile } from './key-filter.ts'

const allowed = 0x7fff0000
const notImplemented = 0x00050026

describe('the filter that keeps the kernel keys out of a room', () => {
  it.each([
    ['x64', 0xc000003e, [248, 249, 250], [247, 251, 217]],
    // The same calls in the x32 convention have one bit more.
    ['x64', 0xc000003e, [0x400000f8, 0x400000f9, 0x400000fa], [0x400000f7]],
    ['x64', 0x40000003, [286, 287, 288], [285, 289, 250]],
    ['arm64', 0xc00000b7, [217, 218, 219], [216, 220, 250]],
    ['arm64', 0x40000028, [309, 310, 311], [308, 312, 217]],
  ])('refuses on %s, convention %i, the calls %j and no others', (processor, convention, keys, others) => {
    expect(keys.map((call) => verdict(processor, convention, call))).toEqual(keys.map(() => notImplemented))
    expect(others.map((call) => verdict(processor, convention, call))).toEqual(others.map(() => allowed))
  })

  it('leaves alone what it does not know', () => {
    expect(verdict('x64', 0xc00000b7, 219)).toBe(allowed)
    expect(verdict('riscv64', 0xc00000f3, 219)).toBe(allowed)
    expect(keyFilterFile('riscv64')).toBeUndefined()
  })

  it.each(filteredProcessors)('is a file of the program for %s', (processor) => {
    expect(readFileSync(String(keyFilterFile(processor)))).toEqual(keyFilter(processor))
  })
})

/** What the kernel would make of it. */
function verdict(processor: string, convention: number, call: number): number {
  const program = Buffer.from(keyFilter(processor))
  const data: Readonly<Record<number, number>> = { 0: call, 4: convention }
  let value = 0
  for (let at = 0; at * 8 < program.length; at++) {
    const code = program.readUInt16LE(at * 8)
    const operand = program.readUInt32LE(at * 8 + 4)
    if (code === 0x06) return operand
    if (code === 0x20) value = data[operand] ?? 0
    else if (code === 0x54) value = (value & operand) >>> 0
    else if (code === 0x15) at += program.readUInt8(at * 8 + (value === operand ? 2 : 3))
    else throw new Error(`unknown instruction ${code}`)
  }
  throw new Error('no verdict')
}
