import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { together } from './together.ts'

test('gives all that came of it, in order', async () => {
  expect(await together([sleep(2, 'slow'), Promise.resolve(1)])).toEqual(['slow', 1])
})

test('fails with the first failure of the list, when nothing is at work any more', async () => {
  let isAtWork = true
  const slow = sleep(5).then(() => {
    isAtWork = false
    throw new Error('late')
  })
  await expect(together([slow, Promise.reject(new Error('early'))])).rejects.toThrow('late')
  expect(isAtWork).toBe(false)
})
