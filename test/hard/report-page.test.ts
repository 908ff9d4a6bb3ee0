// The report page in a real browser: what it shows, what it asks for, and that it can be used without a mouse.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { baton } from '../e2e/baton.ts'
import { openPage } from '../support/chromium.ts'
import { makeFolder } from '../support/git.ts'

let url = ''

beforeAll(async () => {
  const folder = await makeFolder()
  const repository = join(folder, 'demo')
  const demo = await baton(folder, ['demo', '--keep', repository])
  expect(demo.code).toBe(0)
  const file = join(folder, 'report.html')
  const report = await baton(repository, ['report', '--output', file])
  expect(report).toMatchObject({ code: 0, stderr: '' })
  url = pathToFileURL(file).href
})

const open = 'document.querySelectorAll("details[open]").length'
const shown = '[...document.querySelectorAll("[data-card]")].filter((card) => !card.hidden).length'

describe('the report page', () => {
  test('has all its parts, asks for nothing but itself, and has nothing to complain about', async () => {
    const page = await openPage(url)
    expect(await page.evaluate('[...document.querySelectorAll("h2")].map((one) => one.textContent)')).toEqual(
      expect.arrayContaining(['Timeline', 'Steps', 'Journal']),
    )
    expect(await page.evaluate('document.querySelectorAll(".bar").length')).toBe(17)
    expect(await page.evaluate('document.body.textContent')).toContain('tests_pass')
    expect(page.requests).toEqual([url])
    expect(page.complaints).toEqual([])
  })

  test('is searched and folded by keyboard', async () => {
    const page = await openPage(url)
    const all = Number(await page.evaluate(shown))
    await page.press('/')
    expect(await page.evaluate('document.activeElement.id')).toBe('search')
    for (const letter of 'conflict') await page.press(letter)
    const found = Number(await page.evaluate(shown))
    expect(found).toBeGreaterThan(0)
    expect(found).toBeLessThan(all)
    expect(Number(await page.evaluate(open))).toBeGreaterThan(0)
    await page.press('Escape')
    expect(await page.evaluate(shown)).toBe(all)
    await page.press('c')
    expect(await page.evaluate(open)).toBe(0)
    await page.press('o')
    expect(await page.evaluate(open)).toBe(await page.evaluate('document.querySelectorAll("details").length'))
  })

  test('a part of it is opened by Enter, as everywhere', async () => {
    const page = await openPage(url)
    await page.evaluate('document.querySelector("#step-1 > summary").focus()')
    await page.press('Enter')
    expect(await page.evaluate('document.querySelector("#step-1").open')).toBe(true)
  })

  test('fits on a phone', async () => {
    const page = await openPage(url)
    await page.resize(360, 740)
    await page.press('o')
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  })
})
