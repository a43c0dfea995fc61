// `npm start`: set-up, then the demo yard. Exits 0 when every row ended as meant, else 1 naming the row. `-- --keep`
// leaves the yard serving until Ctrl-C. Ctrl-C at any moment ends everything of it.
import { signalRunning } from './setup/run-command.mjs'
import { failWith, setUp } from './setup/set-up.mjs'

const args = process.argv.slice(2)
let demo

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, async () => {
    console.log('\nending the demo yard')
    signalRunning(signal)
    await demo?.close()
    process.exit(signal === 'SIGINT' ? 130 : 143)
  })
}

try {
  await setUp({ purpose: 'start', args })
  const { openDemo } = await import('./demo/play.mjs')
  demo = openDemo()
  const wrong = await demo.play()
  for (const sentence of wrong) console.error(`✖ ${sentence}`)
  console.log(wrong.length === 0 ? '\n✔ every row ended as meant' : `\n✖ ${wrong.length} things are not as meant`)
  process.exitCode = wrong.length === 0 ? 0 : 1
  if (args.includes('--keep')) await keep(demo.home)
  else {
    await demo.close()
    console.log('The demo yard and its home are gone. To type the commands above: npm start -- --keep')
  }
} catch (error) {
  await demo?.close()
  failWith(error)
}

/** Says how to look around, and waits for Ctrl-C. */
function keep(home) {
  console.log('\nThe yard stays up. In another terminal, from this folder:')
  console.log(`  export YARDMASTER_HOME=${home}`)
  console.log('  node dist/bin.cjs list --all')
  console.log('  node dist/bin.cjs why T6')
  console.log('Ctrl-C ends it and removes its home.')
  return new Promise((resolve) => setInterval(resolve, 2 ** 31 - 1))
}
