// Starts the worker beside which it is told to write, up to its first connection, and keeps what V8 has compiled by then
// for src/bin.ts. Run by ops/build.mjs as `node ops/keep-compiled.cjs FOLDER chat …`; the wrapper is that of bin.ts.
const { readFileSync, writeFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const { Socket } = require('node:net')
const { Script } = require('node:vm')

const [folder] = process.argv.splice(2, 1)
const file = `${folder}/worker.cjs`
const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'utf8')}\n})`
const script = new Script(source, { filename: file })

Socket.prototype.connect = () => {
  writeFileSync(`${folder}/worker.cache`, script.createCachedData())
  process.exit(0)
}
const module_ = { exports: {} }
script.runInThisContext().call(module_.exports, module_.exports, createRequire(file), module_, file, folder)
