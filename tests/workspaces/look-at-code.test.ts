import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lookAtCode } from '../../src/workspaces/look-at-code.ts'
import { madeOf, openPlace, type Place } from './repository.ts'

let place: Place
beforeEach(() => {
  place = openPlace()
  place.addSubmodule('libs/sub')
})
afterEach(() => place.clear())

/** A worktree whose submodule is filled, and a commit or a file of it. */
async function filled(works: (submodule: string) => void) {
  const { worktree } = madeOf(await place.make())
  place.git(['submodule', '--quiet', 'update', '--init'], worktree.path)
  works(join(worktree.path, 'libs/sub'))
  return await lookAtCode(place.deps, worktree)
}

describe('a worktree with a submodule', () => {
  test('may go while that holds nothing of its own', async () => {
    expect(await filled(() => {})).toMatchObject({ ok: true, isChanged: false, own: 'none' })
  })

  test('stays while that has a commit that is nowhere else, which a patch does not hold', async () => {
    const looked = await filled((submodule) => {
      writeFileSync(join(submodule, 'x.txt'), 'own\n')
      place.git(['commit', '-qam', 'own'], submodule)
    })
    expect(looked).toEqual({
      ok: false,
      says: 'its submodule libs/sub has commits that are nowhere else; push them first',
    })
  })

  test('stays while a file of it is not committed, also a new one', async () => {
    const says = 'a submodule has changes that are not committed; commit and push them there first'
    expect(await filled((submodule) => writeFileSync(join(submodule, 'new.txt'), 'new\n'))).toEqual({ ok: false, says })
  })

  test('may go when its commit was pushed', async () => {
    const looked = await filled((submodule) => {
      execFileSync('git', ['config', 'receive.denyCurrentBranch', 'ignore'], { cwd: join(place.root, 'other') })
      writeFileSync(join(submodule, 'x.txt'), 'own\n')
      place.git(['commit', '-qam', 'own'], submodule)
      place.git(['push', '-q', 'origin', 'HEAD:refs/heads/topic'], submodule)
    })
    expect(looked).toMatchObject({ ok: true, isChanged: true })
  })
})
