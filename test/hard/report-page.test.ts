// The report page in a real browser: what it shows, what it asks for, and that it can be used without a mouse.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { baton } from '../e2e/baton.ts'
import { openPage } from '../support/chromium.ts'
import { makeFolder } from '../support/git.ts'

let url = ''

/** As the firewall writes it beside the answer of an agent whose tool asks: scripted ones do not. */
const decision = {
  ...{ at: '2026-01-01T00:00:00.000Z', tool: 'shell', what: 'git push --force', allow: false },
  ...{ rule: 'git.push', reason: 'The engine pushes.' },
}

beforeAll(async () => {
  const folder = await makeFolder()
  const repository = join(folder, 'demo')
  const demo = await baton(folder, ['demo', '--keep', repository])
  expect(demo.code).toBe(0)
  await writeFile(
    join(repository, '.baton/runs/1/steps/code.1/call-1/decisions.jsonl'),
    `${JSON.stringify(decision)}\n`,
  )
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
      ['Timeline', 'Steps', 'Cost by role', 'Firewall decisions', 'Journal'],
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

  test('says what each role has used, and what the firewall has said, which the search finds', async () => {
    const page = await openPage(url)
    const rows = '[...document.querySelectorAll("tbody tr")].map((row) => row.textContent.trim())'
    const texts = (await page.evaluate(rows)) as string[]
    expect(texts.some((text) => text.startsWith('DEVELOPER'))).toBe(true)
    expect(texts.find((text) => text.startsWith('denied'))).toMatch(/code 1\.1\s*shell\s*git push --force/)
    await page.press('/')
    for (const letter of 'push --force') await page.press(letter)
    expect(await page.evaluate(shown)).toBe(1)
    expect(await page.evaluate('document.querySelector("#found").textContent')).toMatch(/^1 of /)
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
