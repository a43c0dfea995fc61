import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseConfig } from '../../../src/kernel/config/index.ts'
import { openBatchFolder } from '../../cli/batch-file/batch-folder.ts'

const page = readFileSync('docs/workspaces.md', 'utf8')
const examples = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text)

test('the examples of docs/workspaces.md are files that are read without a fault', async () => {
  using folder = openBatchFolder()
  const [batch = '', config = '', ...others] = examples
  expect(others).toEqual([])
  const env = { PATH: process.env.PATH, HOME: '/no/such/home' }
  expect(await folder.faults(batch, { env })).toEqual([])
  expect((await folder.read(batch, { env })).body.tasks[0]).toMatchObject({
    workspace: { repo: '/no/such/home/code/shop', ref: 'main', setup: 'npm ci', copy: ['.env.test'] },
    check: 'npm test',
    expect: 'change',
    review: 'person',
  })
  const parsed = parseConfig({ text: config, file: '/yard/yardmaster.yaml', cores: 2, userHome: '/no/such/home' })
  expect(parsed).toMatchObject({ ok: true, config: { boards: { shop: { repo: '/no/such/home/code/shop' } } } })
})
