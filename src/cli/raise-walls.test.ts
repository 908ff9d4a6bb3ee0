import { describe, expect, it } from 'vitest'
import type { Provider } from '../model/agent.ts'
import { systemClock } from '../platform/clock.ts'
import { raiseWalls, wallsFact } from './raise-walls.ts'
import type { Surroundings } from './workbench.ts'

const bare: Surroundings = {
  cwd: '/',
  env: {},
  clock: systemClock,
  interrupt: new AbortController().signal,
  onLine: () => {},
  sandboxProgram: '/nonexistent/bwrap',
}

function provider(name: string): Provider {
  const unused = async (): Promise<never> => Promise.reject(new Error('not started here'))
  return { name, isScripted: name === 'script', check: async () => {}, command: unused }
}

describe.skipIf(process.platform !== 'linux')('on a machine without bubblewrap', () => {
  it('a run with a real agent is refused with exit code 2 and what to install', async () => {
    const run = { settings: {}, providers: ['script', 'real'], provider }
    await expect(raiseWalls(bare, run)).rejects.toMatchObject({
      code: 'sandbox.missing',
      exitCode: 2,
      next: expect.stringContaining('apt install bubblewrap') as string,
    })
  })

  it('so is one with scripted agents that asks for walls', async () => {
    const run = { settings: { sandbox: 'required' as const }, providers: ['script'], provider }
    await expect(raiseWalls(bare, run)).rejects.toMatchObject({ code: 'sandbox.missing' })
  })

  it('scripted agents run, and so does everything where the walls were switched off, which is told', async () => {
    const scripted = await raiseWalls(bare, { settings: {}, providers: ['script'], provider })
    expect([scripted.kind, wallsFact(scripted, {})]).toEqual(['none', {}])
    const off = { sandbox: 'off' as const }
    const down = await raiseWalls(bare, { settings: off, providers: ['real'], provider })
    expect([down.kind, wallsFact(down, off)]).toEqual(['none', { walls: 'down' }])
  })
})
