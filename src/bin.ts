import { readFileSync } from 'node:fs'
import { Script } from 'node:vm'
import { readCompiled, wrapWorker } from './bin/worker-code.ts'

declare const require: (file: string) => unknown
declare const __dirname: string

// `chat` loads the worker bundle alone, because it starts once per card; everything else is the command line.
// @ts-expect-error: a product of the build, beside this one
if (process.argv[2] !== 'chat') import('./cli.mjs')
else startWorker()

/** The worker with what V8 has made of it once, at the build: a seventh of its start is spent on reading code. */
function startWorker(): void {
  const filename = `${__dirname}/worker.cjs`
  const source = readFileSync(filename)
  const node = `${process.version} ${process.platform} ${process.arch}`
  const cachedData = readCompiled(`${__dirname}/worker.cache`, { source, node })
  if (cachedData === undefined) return void require('./worker.cjs')
  const script = new Script(wrapWorker(source), { filename, cachedData })
  const module = { exports: {} }
  script.runInThisContext().call(module.exports, module.exports, require, module, filename, __dirname)
}
