import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type CodingTask, layOut } from './coding-task.ts'
import { codingTasks } from './index.ts'

test('the check of each of the forty coding tasks sees its fault, and passes where it is mended', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'yardmaster-coding-'))
  try {
    expect(codingTasks).toHaveLength(40)
    expect(new Set(codingTasks.map(({ name }) => name)).size).toBe(40)
    const codes: Record<string, readonly [broken: number, mended: number]> = {}
    for (const task of codingTasks) {
      const place = join(folder, task.name)
      layOut(task, place)
      const broken = await check(task, place)
      writeFileSync(join(place, task.file), task.text)
      codes[task.name] = [broken, await check(task, place)]
    }
    expect(codes).toEqual(Object.fromEntries(codingTasks.map(({ name }) => [name, [1, 0]])))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

async function check(task: CodingTask, place: string): Promise<number> {
  const child = spawn('bash', ['-c', task.check.run], {
    cwd: place,
    env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: 'ignore',
  })
  const [code] = await once(child, 'exit')
  return code
}
