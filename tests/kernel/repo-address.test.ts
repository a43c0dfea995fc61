// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of ours look like it
import { describe, expect, test } from 'vitest'
import { readRepoAddress, whyNoRef } from '../../src/kernel/index.ts'

describe('what names a repository', () => {
  test.each(['.', '../shop', '/code/shop', '~/code/shop', '~', './a:b', 'code/a:b'])('%s is a path', (text) => {
    expect(readRepoAddress(text)).toEqual({ kind: 'path', path: text })
  })

  test.each([
    'https://github.com/acme/shop.git',
    'https://jo@bitbucket.org/acme/shop.git',
    'http://127.0.0.1:8080/shop',
    'ssh://git@host:2222/shop.git',
    'git://host/shop',
    'file:///code/shop',
    'git@github.com:acme/shop.git',
    'host:shop',
  ])('%s is an address', (text) => {
    expect(readRepoAddress(text)).toEqual({ kind: 'url', url: text })
  })

  test.each(['https://jo:hunter2@example.org/shop', `https://ghp_${'a1B2c3D4e5F6'.repeat(3)}@github.com/acme/shop`])(
    'a password in an address is refused and never repeated: %#',
    (text) => {
      const address = readRepoAddress(text)
      expect(address).toMatchObject({ kind: 'refused', says: expect.stringContaining('holds a password') })
      expect(JSON.stringify(address)).not.toMatch(/hunter2|ghp_/)
    },
  )

  test.each([
    ['', 'is empty'],
    ['--upload-pack=touch x', 'begins like an option'],
    ['-oProxyCommand=x:y', 'begins like an option'],
    ['ssh://-oProxyCommand=x/y', 'begins like an option'],
    ['git@-oProxyCommand=x:y', 'begins like an option'],
    ['ext::sh -c id', 'names a helper program of git'],
    ['ftp://host/shop', 'is of kind ftp'],
    ['host:', 'is no path and no address'],
    ['~jo/shop', "is in another user's home"],
  ])('%s is refused: it %s', (text, says) => {
    expect(readRepoAddress(text)).toMatchObject({ kind: 'refused', says })
  })
})

describe('what names a branch, a tag or a commit', () => {
  test.each(['main', 'feature/x', 'v1.0^{commit}', 'main~2', '4f1c2aa', 'HEAD', '${{ needs.base.branch }}'])(
    '%s may',
    (text) => {
      expect(whyNoRef(text)).toBeUndefined()
    },
  )

  test.each([
    ['--all', 'begins like an option'],
    ['a..b', 'names no branch'],
    ['a b', 'names no branch'],
    ['a:b', 'names no branch'],
    ['', 'names no branch'],
    ['${{ needs.base.result }}', 'holds ${{ needs.base.result }}'],
    ['${{ matrix.ref }}', 'holds ${{ matrix.ref }}'],
  ])('%s may not: it %s', (text, says) => {
    expect(whyNoRef(text)?.says).toContain(says)
  })
})
