// Starts the worker beside which it is told to write, up to its first connection, and keeps what V8 has compiled by then
// for src/bin.ts. Bundled and run by ops/build.mjs as `node keep-compiled.cjs FOLDER chat …`.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Socket } from 'node:net'
import { Script } from 'node:vm'
import { stampCompiled, wrapWorker } from '../src/bin/worker-code.ts'

const [folder] = process.argv.splice(2, 1)
const filename = `${folder}/worker.cjs`
const source = readFileSync(filename)
const script = new Script(wrapWorker(source), { filename })

Socket.prototype.connect = () => {
  const node = `${process.version} ${process.platform} ${process.arch}`
  writeFileSync(`${folder}/worker.cache`, stampCompiled(script.createCachedData(), { source, node }))
  process.exit(0)
}
const module = { exports: {} }
script.runInThisContext().call(module.exports, module.exports, createRequire(filename), module, filename, folder)
