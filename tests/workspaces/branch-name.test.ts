import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { taskId } from '../../src/kernel/index.ts'
import { branchName, longestBranchBytes } from '../../src/workspaces/branch-name.ts'

const name = (title: string, copy?: number) => branchName(taskId(5), title, copy)

describe('the branch of a task', () => {
  test('says the task and its title', () => {
    expect(name('Fix flaky login test')).toBe('yard/t5-fix-flaky-login-test')
    expect(name('Größe: Ärger & Crème brûlée')).toBe('yard/t5-grosse-arger-creme-brulee')
    expect(name('v1.2.lock')).toBe('yard/t5-v1-2-lock')
    expect(name('Fix it', 3)).toBe('yard/t5-fix-it-3')
  })

  test('C90: a title in Chinese, Arabic or emoji, only of punctuation, or of 500 characters gives a name of at most 60 ASCII bytes', () => {
    for (const title of ['修复登录测试', 'إصلاح الاختبار', '🚀🔥', '... --- !!!', '', '@{-1}']) {
      expect(name(title)).toMatch(/^yard\/t5(-1)?$/)
    }
    expect(name(`a${'b'.repeat(499)}`)).toHaveLength(longestBranchBytes)
    expect(branchName(taskId(9_999_999_999), 'x '.repeat(250), 12).length).toBeLessThanOrEqual(longestBranchBytes)
  })

  test('C90: whatever the title is, git takes the name, and it ends with no dash, dot or .lock', () => {
    const names = fc
      .sample(fc.tuple(fc.string({ unit: 'binary', maxLength: 200 }), fc.integer({ min: 1, max: 999 })), 300)
      .map(([title, copy]) => name(title, copy))
    for (const each of names) {
      expect(each).toMatch(/^yard\/t5(-[a-z0-9]+)*$/)
      expect(each.length).toBeLessThanOrEqual(longestBranchBytes)
    }
    for (const each of new Set(names.slice(0, 20))) execFileSync('git', ['check-ref-format', '--branch', each])
  })
})
