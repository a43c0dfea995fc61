import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { LaneConfig } from '../../../src/kernel/config/index.ts'
import { actor, startYard, type Yard, type YardOptions } from '../start-yard.ts'
import { makeRepository, type Repository } from './a-repository.ts'

type Lane = Partial<LaneConfig>
const bash = (script: string): Lane => ({ uses: 'command', command: ['bash', '-euc', script] })

async function startReviewed(
  reviewer: Lane,
  author: Lane = bash('echo work >> a.txt'),
): Promise<{ yard: Yard; repo: Repository }> {
  const options: YardOptions = { env: { HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' }, lanes: { author, reviewer } }
  const yard = await startYard(options)
  return { yard, repo: makeRepository(join(yard.folder, 'shop')) }
}

const task = (yard: Yard, repo: Repository, more = {}) =>
  yard.add(
    { title: 'Mend it', prompt: 'mend a.txt', workspace: repo.workspace(), review: { lane: 'reviewer' }, ...more },
    { lane: 'author' },
  )

describe('a review by a lane', () => {
  test("C86: works on the author's resulting commit, which stands in its record, and approves it", async () => {
    const { yard, repo } = await startReviewed(
      bash('git rev-parse HEAD; git diff main --stat; echo "verdict: approve"'),
    )
    await using _ = yard
    const id = task(yard, repo)

    expect(await yard.over(id)).toMatchObject({ status: 'done', lane: 'author', failures: 0 })
    const [author, reviewer] = yard.runs(id)
    const commit = yard.board.changeOf(author?.id ?? (0 as never))?.headCommit
    expect(author).toMatchObject({ outcome: 'review', claimedFrom: 'ready' })
    expect(reviewer).toMatchObject({ outcome: 'done', claimedFrom: 'review', lane: 'reviewer' })
    expect(reviewer?.result?.split('\n')[0]).toBe(commit)
    expect(JSON.parse(reviewer?.settings ?? '').reviewOf).toEqual({ run: author?.id, commit })
    expect(yard.board.changeOf(reviewer?.id ?? (0 as never))).toBeUndefined()
  })

  test("asks for changes: the author's lane gets the text, and another review follows", async () => {
    const reviewer = bash(
      'if grep -q twice a.txt; then echo "**Verdict: approve**"; else echo say it twice; echo verdict: reject; fi',
    )
    const author = bash(
      'grep -q "say it twice" "$YARDMASTER_RUN_DIR/prompt.md" && echo twice >> a.txt || echo once >> a.txt',
    )
    const { yard, repo } = await startReviewed(reviewer, author)
    await using _ = yard
    const id = task(yard, repo)

    expect(await yard.over(id)).toMatchObject({ status: 'done', failures: 0 })
    expect(yard.runs(id).map(({ lane, outcome }) => `${lane} ${outcome}`)).toEqual([
      'author review',
      'reviewer done',
      'author review',
      'reviewer done',
    ])
  })

  test('without a verdict does not count, is tried again, and then asks a person; nothing counts against the author', async () => {
    const { yard, repo } = await startReviewed(bash('echo looks fine to me'))
    await using _ = yard
    const id = task(yard, repo)

    expect(await yard.over(id)).toMatchObject({ status: 'blocked', failures: 0 })
    expect(yard.runs(id).map(({ outcome }) => outcome)).toEqual(['review', 'incomplete', 'incomplete'])
  })

  test('that changes something leaves nothing of it in the work', async () => {
    const { yard, repo } = await startReviewed(
      bash(
        'echo mine >> a.txt; git commit -qam mine || git -c user.name=r -c user.email=r@x commit -qam mine; echo verdict: approve',
      ),
    )
    await using _ = yard
    const id = task(yard, repo)

    await yard.over(id)
    const [author] = yard.runs(id)
    expect(repo.git('rev-parse', 'yard/t1-mend-it')).toBe(yard.board.changeOf(author?.id ?? (0 as never))?.headCommit)
  })

  test('is given by a report, too', async () => {
    const report =
      'printf \'{"schema":1,"run":%s,"fence":%s,"status":"completed","verdict":{"decision":"approve","text":"good"}}\' "$(echo "$YARDMASTER_RUN" | tr -d R)" "$YARDMASTER_FENCE" > r.json; mv r.json "$YARDMASTER_REPORT"'
    const { yard, repo } = await startReviewed(bash(report))
    await using _ = yard
    const id = task(yard, repo)

    expect(await yard.over(id)).toMatchObject({ status: 'done' })
    expect(yard.board.comments(id).map(({ text }) => text)).toEqual(['good'])
  })

  test('goes on under the next hub', async () => {
    const { yard: first, repo } = await startReviewed(
      // The folder that the repository lies in.
      bash(
        'go="$(git rev-parse --git-common-dir)/../../go"; while [ ! -e "$go" ]; do sleep 0.01; done; echo verdict: approve',
      ),
    )
    const id = task(first, repo)
    await first.when(id, ({ status, runs }) => status === 'running' && runs === 2)
    await first.when(id, () => first.runs(id).at(-1)?.phase === 'started')
    await first.leave()

    await using next = await startYard({
      home: join(first.home, '..'),
      lanes: { author: bash('true'), reviewer: bash('true') },
    })
    writeFileSync(join(next.folder, 'go'), '')
    expect(await next.over(id)).toMatchObject({ status: 'done' })
    expect(next.runs(id)).toHaveLength(2)
  })
})

test('a person who asks for changes sends the card back to its author, with the text', async () => {
  const { yard, repo } = await startReviewed(bash('true'), bash('cat "$YARDMASTER_RUN_DIR/prompt.md"; echo x >> a.txt'))
  await using _ = yard
  const id = task(yard, repo, { review: 'person' })
  await yard.when(id, ({ status }) => status === 'review')

  yard.board.rejectTask(id, 'say why in the commit', actor)
  await yard.when(id, ({ status, runs }) => status === 'review' && runs === 2)

  expect(yard.runs(id).at(-1)?.result).toContain('say why in the commit')
  yard.board.approveTask(id, null, actor)
  expect(yard.task(id).status).toBe('done')
})
