import assert from 'node:assert/strict'
import { test } from 'node:test'
import { total } from '../src/total.js'

test('adds up the prices', () => {
  assert.equal(total([{ price: 10 }, { price: 5 }]), 15)
})

test('takes the discount off', () => {
  assert.equal(total([{ price: 10 }], 0.5), 5)
})

test('counts the quantity of an item', () => {
  assert.equal(total([{ price: 10, quantity: 3 }]), 30)
})
