import { describe, expect, it } from 'vitest'
import { proxyFor } from './proxy.ts'

describe('the proxy of an address', () => {
  it.each([
    ['https://forge.test/', {}, undefined],
    ['https://forge.test/', { HTTPS_PROXY: 'http://proxy:3128' }, 'http://proxy:3128/'],
    ['http://forge.test/', { HTTPS_PROXY: 'http://proxy:3128' }, undefined],
    ['http://forge.test/', { http_proxy: 'proxy:3128' }, 'http://proxy:3128/'],
    ['https://forge.test/', { ALL_PROXY: 'http://all:1', https_proxy: '' }, 'http://all:1/'],
    [
      'https://forge.test/',
      { https_proxy: 'http://small:1', HTTPS_PROXY: 'http://large:1' },
      'http://small:1/',
    ],
    ['https://forge.test/', { HTTPS_PROXY: 'http://ada:pa%40ss@proxy:1' }, 'http://ada:pa%40ss@proxy:1/'],
    ['https://forge.test/', { HTTPS_PROXY: 'http://[broken' }, undefined],
    ['https://forge.test/', { ALL_PROXY: 'socks5://proxy:1080' }, undefined],
  ])('%s with %j is %s', (url, env, proxy) => {
    expect(proxyFor(new URL(url), env)?.href).toBe(proxy)
  })

  it.each([
    ['*', true],
    ['forge.test', true],
    ['.forge.test', true],
    ['*.forge.test', true],
    ['test', true],
    ['other.test, api.forge.test', true],
    ['API.FORGE.TEST', true],
    ['api.forge.test:443', true],
    ['api.forge.test:8443', false],
    ['orge.test', false],
    ['', false],
  ])('is left out where no_proxy is %j: %s', (list, isExempt) => {
    const env = { HTTPS_PROXY: 'http://proxy:1', NO_PROXY: list }
    expect(proxyFor(new URL('https://api.forge.test/x'), env) === undefined).toBe(isExempt)
  })
})
