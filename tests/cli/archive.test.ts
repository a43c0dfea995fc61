import { describe, expect, test } from 'vitest'
import { aHome } from './a-home.ts'

describe('archive', () => {
  test('takes ended tasks out of the lists and says how they come back', async () => {
    await using yard = aHome()
    await yard.type('add', 'one', '--', 'true')
    await yard.type('add', 'two', '--', 'true')
    await yard.type('cancel', 'T1')
    expect(await yard.type('archive', 'T1')).toEqual({
      code: 0,
      out: 'T1 archived. Back: yardmaster archive --undo T1\n',
      err: '',
    })
    expect((await yard.type('list', '--all', '-q')).out).toBe('T2\n')
    expect((await yard.type('list')).out).toContain('ENDED      1 archived: yardmaster list --archived\n')
    expect((await yard.type('list', '--archived', '-q')).out).toBe('T1\n')
    expect((await yard.type('list', '--archived')).out).toMatch(/^T1 +one .*cancelled/)
    expect(JSON.parse((await yard.type('list', '--archived', '--json')).out).tasks).toMatchObject([
      { id: 1, archived_at: expect.any(String), archived_by: expect.any(String) },
    ])
    const { out } = await yard.type('show', 'T1')
    expect(out).toContain('left out of lists, kept in reports')
    expect(out).toContain('yardmaster archive --undo T1')
    expect(await yard.type('archive', '--undo', 'T1')).toMatchObject({
      code: 0,
      out: 'T1 is in the lists again (cancelled). Look: yardmaster show T1\n',
    })
    expect((await yard.type('list', '--all', '-q')).out).toBe('T1\nT2\n')
  })

  test('takes and brings back whole groups: only what is over, and only what is archived', async () => {
    await using yard = aHome()
    for (const title of ['one', 'two', 'three']) await yard.type('add', title, '--', 'true')
    await yard.type('cancel', 'T1-T2')
    expect((await yard.type('archive', '--status', 'cancelled', '-q')).code).toBe(0)
    expect((await yard.type('list', '--all', '-q')).out).toBe('T3\n')
    expect((await yard.type('archive', '--lane', 'command')).err).toContain(
      'Nothing to archive: no task of these is over.',
    )
    expect((await yard.type('archive', '--undo', '--lane', 'command', '--json')).out.split('\n')).toHaveLength(3)
    expect((await yard.type('list', '--all', '-q')).out).toBe('T1\nT2\nT3\n')
  })

  test('C76: asks what becomes of those that wait, by the error and its fix, and does what is said', async () => {
    await using yard = aHome()
    await yard.type('add', 'parent', '--', 'true')
    await yard.type('add', 'child', '--needs', 'T1', '--', 'true')
    await yard.type('cancel', 'T1')
    const refused = await yard.type('archive', 'T1')
    expect(refused.code).toBe(2)
    expect(refused.err).toContain('T1 did not end as T2 needs, so somebody has to say what becomes of it')
    expect(refused.err).toContain('[BOARD_CHILDREN_WAIT]')
    expect(refused.err).toContain('yardmaster archive T1 --children release')
    expect((await yard.type('archive', 'T1', '--children', 'release')).out).toBe(
      'T1 archived; no longer waiting for it: T2. Back: yardmaster archive --undo T1\n',
    )
    expect(JSON.parse((await yard.type('show', 'T2', '--json')).out)).toMatchObject({ status: 'ready' })
    await yard.type('add', 'grandchild', '--needs', 'T2', '--', 'true')
    await yard.type('cancel', 'T2')
    expect((await yard.type('archive', 'T2', '--children', 'archive')).out).toBe(
      'T2 archived; cancelled and archived with it: T3. Back: yardmaster archive --undo T2 T3\n',
    )
    await yard.type('archive', '--undo', 'T2', 'T3')
    expect((await yard.type('list', '--all', '-q')).out).toBe('T2\nT3\n')
  })

  test('refuses what is not over, and words that are no choice', async () => {
    await using yard = aHome()
    await yard.type('add', 'open', '--', 'true')
    expect(await yard.type('archive', 'T1')).toMatchObject({
      code: 2,
      err: expect.stringContaining('yardmaster cancel T1'),
    })
    expect((await yard.type('archive', 'T1', '--children', 'keep')).code).toBe(2)
    expect((await yard.type('archive', '--undo', 'T1', '--children', 'wait')).err).toContain('leave one of the two out')
    expect((await yard.type('archive', 'B7')).err).toContain('"B7" names nothing: no batch has this number')
    expect((await yard.type('archive')).err).toContain('yardmaster archive --status done')
  })
})
