import { mkdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runId } from '../../../src/kernel/index.ts'
import {
  collectArtifacts,
  copyAttachment,
  type DeclaredArtifact,
  openAttachment,
  readReport,
  removeAttachment,
  sayBadArtifacts,
} from '../../../src/runs/index.ts'
import { makeFolder } from '../run-folder.ts'

function places() {
  const home = makeFolder()
  const folder = makeFolder()
  const runDir = join(home, 'runs', '0', 'R1')
  mkdirSync(runDir, { recursive: true })
  const collect = (...artifacts: readonly DeclaredArtifact[]) =>
    collectArtifacts({ home }, { runDir, folder, artifacts })
  return { home, folder, runDir, collect }
}

describe('artifacts that an attempt declares', () => {
  test('come from its folder and from its run directory, with name, kind, size and checksum', async () => {
    const { home, folder, runDir, collect } = places()
    mkdirSync(join(folder, 'out'))
    writeFileSync(join(folder, 'out', 'shot.png'), 'pixels')
    writeFileSync(join(runDir, 'notes.md'), '# notes')
    const { stored, bad } = await collect(
      { path: 'out/shot.png' },
      { path: join(runDir, 'notes.md'), name: 'Notes.md' },
    )
    expect(bad).toEqual([])
    expect(stored).toEqual([
      { name: 'shot.png', mediaType: 'image/png', bytes: 6, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { name: 'Notes.md', mediaType: 'text/markdown', bytes: 7, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ])
    const handle = await openAttachment(home, stored[0]?.sha256 ?? '')
    expect(await handle?.readFile('utf8')).toBe('pixels')
    await handle?.close()
  })

  test('C53 · those that are missing, empty or outside are named, each with its reason', async () => {
    const { folder, collect } = places()
    writeFileSync(join(folder, 'empty.txt'), '')
    mkdirSync(join(folder, 'out'))
    symlinkSync('/etc/passwd', join(folder, 'link'))
    const { stored, bad } = await collect(
      { path: 'report.pdf' },
      { path: 'empty.txt' },
      { path: '/etc/passwd' },
      { path: 'link' },
      { path: 'out' },
      { path: 'empty.txt', name: 'a/b' },
    )
    expect(stored).toEqual([])
    expect(bad.map(({ path, why }) => `${path} ${why}`)).toEqual([
      'report.pdf missing',
      'empty.txt empty',
      '/etc/passwd outside',
      'link outside',
      'out not_a_file',
      'empty.txt bad_name',
    ])
    expect(sayBadArtifacts(bad)).toBe(
      'artifact missing: "report.pdf"; artifact empty: "empty.txt"; ' +
        'artifact outside of the folder of the task and of the directory of the attempt: "/etc/passwd"; ' +
        'artifact outside of the folder of the task and of the directory of the attempt: "link"; ' +
        'artifact that is no regular file: "out"; 1 more',
    )
  })

  test('C92 · one of 26 MB is named as too large, and its others are kept', async () => {
    const { folder, collect } = places()
    writeFileSync(join(folder, 'video.mp4'), '')
    truncateSync(join(folder, 'video.mp4'), 26 * 1_024 * 1_024)
    writeFileSync(join(folder, 'limit.bin'), Buffer.alloc(25 * 1_024 * 1_024))
    writeFileSync(join(folder, 'shot.png'), 'pixels')
    const { stored, bad } = await collect({ path: 'video.mp4' }, { path: 'limit.bin' }, { path: 'shot.png' })
    expect(stored.map(({ name, bytes }) => [name, bytes])).toEqual([
      ['limit.bin', 26_214_400],
      ['shot.png', 6],
    ])
    expect(sayBadArtifacts(bad)).toBe('artifact too large (more than 25 MiB): "video.mp4"')
  })

  test('of the same name from several folders each keeps a name of its own, and the same file twice is one', async () => {
    const { folder, collect } = places()
    for (const name of ['a', 'b', 'c']) {
      mkdirSync(join(folder, name))
      writeFileSync(join(folder, name, 'index.html'), name)
    }
    const paths = ['a/index.html', 'b/index.html', 'c/index.html', 'a/index.html']
    const { stored } = await collect(...paths.map((path) => ({ path })))
    expect(stored.map(({ name }) => name)).toEqual(['index.html', 'index-2.html', 'index-3.html'])
  })

  test('a name of two lines, or one that turns its line around, is kept as one that can be read', async () => {
    const { folder, collect } = places()
    for (const name of ['two\nlines.txt', 'turned\u202efdp.exe']) writeFileSync(join(folder, name), name)
    const { stored } = await collect({ path: 'two\nlines.txt' }, { path: 'turned\u202efdp.exe' })
    expect(stored.map(({ name }) => name)).toEqual(['two_lines.txt', 'turned_fdp.exe'])
  })
})

describe('a report names artifacts', () => {
  const read = (artifacts: unknown) => {
    const path = join(makeFolder(), 'report.json')
    writeFileSync(path, JSON.stringify({ schema: 1, run: 1, fence: 1, status: 'completed', artifacts }))
    return readReport(path, { run: runId(1), fence: 1 })
  }

  test('by path, and by a name where they are to have another', () => {
    const artifacts = [{ path: 'out/shot.png' }, { path: '/x', name: 'y' }, { path: 'z', name: null }]
    expect(read(artifacts)).toMatchObject({ kind: 'report', report: { artifacts } })
  })

  test.each([
    ['text', 'shot.png'],
    ['a path without an object around it', ['shot.png']],
    ['an empty path', [{ path: '' }]],
    ['an unknown field', [{ path: 'a', size: 1 }]],
    ['more than 100', Array.from({ length: 101 }, (_, n) => ({ path: `${n}` }))],
  ])('%s refuses the report', (_what, artifacts) => {
    expect(read(artifacts)).toMatchObject({
      kind: 'refused',
      why: expect.stringMatching(/artifacts|unknown field size/),
    })
  })
})

test('a file is given out as a copy that nobody writes to by accident; the store keeps its own', async () => {
  const { home, folder, collect } = places()
  writeFileSync(join(folder, 'spec.pdf'), 'spec')
  const [spec] = (await collect({ path: 'spec.pdf' })).stored
  const to = join(makeFolder(), 'spec.pdf')
  const asked = { name: 'spec.pdf', sha256: spec?.sha256 ?? '', to }
  await copyAttachment(home, asked)
  expect(readFileSync(to, 'utf8')).toBe('spec')
  expect(statSync(to).mode & 0o777).toBe(0o400)
  expect(statSync(to).nlink).toBe(1)
  await expect(copyAttachment(home, asked)).rejects.toMatchObject({ code: 'EEXIST' })
  removeAttachment(home, asked.sha256)
  await expect(copyAttachment(home, { ...asked, to: `${to}.2` })).rejects.toMatchObject({
    code: 'RUNS_ATTACHMENT_GONE',
  })
})
