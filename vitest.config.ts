import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // The default leaves one core of two idle, and most tests wait for processes anyway.
    maxWorkers: Math.max(2, availableParallelism()),
    // Each failing test is tried once more where the machine is nobody's own: CI sets it, people do not.
    retry: Number(process.env['BATON_TEST_RETRY'] ?? 0),
    // Tests wait for facts. A limit is there for what hangs, and a disk that others use as well can be five times slower.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
