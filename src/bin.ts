import { existsSync, readFileSync } from 'node:fs'
import { Script } from 'node:vm'

declare const require: (file: string) => unknown
declare const __dirname: string

// `chat` loads the worker bundle alone, because it starts once per card; everything else is the command line.
// @ts-expect-error: a product of the build, beside this one
if (process.argv[2] !== 'chat') import('./cli.mjs')
else startWorker()

/**
 * The worker with what V8 has made of it once, at the build: a seventh of its start is spent on reading code. What was
 * made by another V8 is refused by this one, and the code read as always.
 */
function startWorker(): void {
  const made = `${__dirname}/worker.cache`
  if (!existsSync(made)) return void require('./worker.cjs')
  const file = `${__dirname}/worker.cjs`
  const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'utf8')}\n})`
  const script = new Script(source, { filename: file, cachedData: readFileSync(made) })
  const module = { exports: {} }
  script.runInThisContext().call(module.exports, module.exports, require, module, file, __dirname)
}
