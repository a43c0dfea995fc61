// `chat` loads the worker bundle alone, because it starts once per card; everything else is the command line.
declare const require: (file: string) => unknown
// @ts-expect-error: a product of the build, beside this one
if (process.argv[2] !== 'chat') import('./cli.mjs')
else require('./worker.cjs')
