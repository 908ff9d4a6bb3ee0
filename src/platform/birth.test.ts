import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { birthOf, canBeYounger, isYoungerNumber } from './birth.ts'

describe('who can be younger, by number', () => {
  const birth = { pid: 900, ticks: 1, forks: 5000 }
  const among = (numbers: Parameters<typeof isYoungerNumber>[1]) =>
    [1, 40, 899, 900, 901, 950, 999].filter(isYoungerNumber(birth, numbers))

  it('is everybody after it, up to the youngest', () => {
    expect(among({ forks: 5050, youngest: 950, limit: 1000 })).toEqual([901, 950])
  })

  it('goes on at the beginning once the numbers have run out', () => {
    expect(among({ forks: 5140, youngest: 40, limit: 1000 })).toEqual([1, 40, 901, 950, 999])
  })

  it('is everybody when so many were started since that the numbers may have come round', () => {
    expect(among({ forks: 5500, youngest: 950, limit: 1000 })).toHaveLength(7)
  })

  it.each([
    ['starts', { forks: Number.NaN, youngest: 950, limit: 1000 }],
    ['the youngest', { forks: 5050, youngest: Number.NaN, limit: 1000 }],
    ['any youngest', { forks: 5050, youngest: 0, limit: 1000 }],
    ['the limit', { forks: 5050, youngest: 950, limit: Number.NaN }],
  ])('is everybody on a system that does not tell %s', (_, numbers) => {
    expect(among(numbers)).toHaveLength(7)
  })

  it.runIf(process.platform === 'linux')('holds for real processes', async () => {
    const first = spawn('sleep', ['1000'])
    const ours = birthOf(Number(first.pid))
    const second = spawn('sleep', ['1000'])
    expect([process.ppid, process.pid, second.pid].map((pid) => canBeYounger(ours)(Number(pid)))).toEqual([
      false,
      false,
      true,
    ])
    for (const child of [first, second]) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  })
})
