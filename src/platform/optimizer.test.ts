import { cachedDataVersionTag } from 'node:v8'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { pauseOptimizer } from './optimizer.ts'

const { execArgv } = process
const { NODE_OPTIONS: nodeOptions } = process.env

beforeEach(() => {
  process.execArgv = []
  delete process.env['NODE_OPTIONS']
})

afterEach(() => {
  process.execArgv = execArgv
  if (nodeOptions !== undefined) process.env['NODE_OPTIONS'] = nodeOptions
})

describe('the pause of the optimizing compiler', () => {
  it('ends with V8 as it was before, so that its code cache stays valid', () => {
    const before = cachedDataVersionTag()
    const resume = pauseOptimizer()
    expect(cachedDataVersionTag()).not.toBe(before)
    resume()
    resume()
    expect(cachedDataVersionTag()).toBe(before)
  })

  it('is none where Node was started with options of its own', () => {
    const before = cachedDataVersionTag()
    process.execArgv = ['--jitless']
    pauseOptimizer()
    process.execArgv = []
    process.env['NODE_OPTIONS'] = '--max-lazy'
    pauseOptimizer()
    expect(cachedDataVersionTag()).toBe(before)
  })
})
