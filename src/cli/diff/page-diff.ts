import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { findProgram } from '../../kernel/process/index.ts'
import type { CliDeps } from '../command.ts'

type Deps = Pick<CliDeps, 'env' | 'stdin' | 'out' | 'cwd'>

/**
 * What a person reads page by page: in `$PAGER`, else less; straight on where there is neither, or nobody at a keyboard. The
 * pager has ended when this does.
 */
export async function pageText(deps: Deps, pieces: AsyncIterable<string>): Promise<void> {
  const pager = findPager(deps)
  if (pager === undefined) {
    for await (const piece of pieces) deps.out.write(piece)
    return
  }
  // It needs our terminal, and has no tree to be watched. A shell takes `less -R` apart, as git has it.
  const child = spawn('sh', ['-c', pager], { stdio: ['pipe', 'inherit', 'inherit'], env: { LESS: 'FRX', ...deps.env } })
  const ended = once(child, 'close')
  let isOpen = true
  child.stdin.on('error', () => {
    isOpen = false // the person has seen enough
  })
  try {
    for await (const piece of pieces) {
      if (!isOpen) break
      if (!child.stdin.write(piece)) await Promise.race([once(child.stdin, 'drain'), ended])
    }
  } finally {
    // Also where the pieces break off: the terminal is the pager's until it has ended.
    child.stdin.end()
    await ended
  }
}

function findPager({ env, stdin, out, cwd }: Deps): string | undefined {
  if (!out.isTerminal || !stdin.isTerminal || env.TERM === 'dumb') return undefined
  const { PAGER: chosen, PATH: path = '' } = env
  if (chosen !== undefined) return chosen === '' || chosen === 'cat' ? undefined : chosen
  return findProgram({ name: 'less', path, cwd }).kind === 'found' ? 'less' : undefined
}
