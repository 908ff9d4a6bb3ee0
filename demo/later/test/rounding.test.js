import assert from 'node:assert/strict'
import { test } from 'node:test'
import { total } from '../src/total.js'

test('rounds to whole cents', () => {
  assert.equal(total([{ price: 0.1 }, { price: 0.2 }]), 0.3)
})
