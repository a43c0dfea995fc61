// `chat` loads the worker bundle alone, because it starts once per card; everything else is the command line.
declare const require: (file: string) => unknown
require(process.argv[2] === 'chat' ? './worker.cjs' : './cli.cjs')
