/**
 * Whether these words start something that does not end by itself: a server, a watcher, a follower. The first word is the
 * program's own name. What is not on the list may be one as well: then the time limit of a command ends it.
 */
export function isKnownServer(words: readonly string[]): boolean {
  const [name = '', ...args] = words
  if (args.some((arg) => asksOnly.has(arg))) return false
  if (/^(?:help|version)$/.test(args[0] ?? '') || (args.length === 1 && /^-[hv]$/.test(args[0] ?? ''))) return false
  if (alwaysServing.has(name)) return true
  const known = [name, name.replace(/[0-9.]{1,9}$/, '')].find((each) => Object.hasOwn(rules, each))
  return known !== undefined && rules[known]?.(args) === true
}

const asksOnly = new Set(['--help', '--version', '-V', '--dry-run'])

const alwaysServing = new Set([
  ...[
    'watch',
    'nodemon',
    'ts-node-dev',
    'tsx-watch',
    'live-server',
    'http-server',
    'serve',
    'json-server',
    'browser-sync',
  ],
  ...[
    'webpack-dev-server',
    'uvicorn',
    'gunicorn',
    'hypercorn',
    'daphne',
    'waitress-serve',
    'puma',
    'unicorn',
    'rackup',
  ],
  ...[
    'shotgun',
    'mongod',
    'postgres',
    'mysqld',
    'mariadbd',
    'memcached',
    'ngrok',
    'cloudflared',
    'localtunnel',
    'mailhog',
  ],
  ...['jupyter-lab', 'jupyter-notebook', 'htop', 'watchman-wait', 'entr', 'watchexec', 'chokidar'],
])

type Rule = (args: readonly string[]) => boolean

const serveScript = /^(?:dev|develop|start|serve|server|watch|preview|storybook)(?:[:.-]|$)/
/** A script that is only about what serves ends: `dev:build`, `start-ci`. */
const endingParts = new Set([
  ...['build', 'check', 'ci', 'clean', 'deps', 'down', 'e2e', 'fix', 'format', 'install', 'kill', 'lint', 'migrate'],
  ...['once', 'reset', 'seed', 'setup', 'status', 'stop', 'test', 'tests', 'typecheck', 'types'],
])
const isServing = (script: string): boolean =>
  serveScript.test(script) && !script.split(/[:._-]/).some((part) => endingParts.has(part))
const isWatching: Rule = (args) => args.some((arg) => /^(?:-w|--watch(?:All|=true)?)$/.test(arg))
const isFollowing: Rule = (args) =>
  args.some((arg) => /^(?:-[a-zA-Z]{0,9}[fF][a-zA-Z]{0,9}|--follow(?:=.*)?)$/.test(arg))
const isFirst =
  (...names: readonly string[]): Rule =>
  (args) =>
    names.includes(args.find((arg) => !arg.startsWith('-')) ?? '')

/** Of npm, pnpm and yarn: options whose value is a word of its own. */
const withValue = new Set(['--filter', '-F', '--prefix', '-C', '--dir', '--cwd', '--workspace', '-w'])

const runsScript: Rule = (args) => {
  const words = args.filter((arg, at) => !arg.startsWith('-') && !withValue.has(args[at - 1] ?? ''))
  const script = words[0] === 'run' || words[0] === 'run-script' ? words[1] : words[0]
  return script !== undefined && isServing(script)
}

const python: Rule = (args) => {
  const module = args[args.indexOf('-m') + 1] ?? ''
  if (args.includes('-m') && /^(?:http\.server|SimpleHTTPServer|uvicorn|gunicorn|hypercorn|livereload)$/.test(module))
    return true
  if (args.includes('-m') && module === 'flask') return args.includes('run')
  if (args.includes('-m') && module === 'jupyter') return true
  const script = args.find((arg) => !arg.startsWith('-')) ?? ''
  return /(?:^|\/)manage\.py$/.test(script) && args.some((arg) => arg === 'runserver' || arg === 'runserver_plus')
}

const compose: Rule = (args) =>
  args.includes('up') &&
  !args.some(
    (arg) => arg === '-d' || /^--(?:detach|wait|no-start|abort-on-container-\w+|exit-code-from(?:=.*)?)$/.test(arg),
  )

const docker: Rule = (args) => {
  if (args[0] === 'compose') return compose(args.slice(1)) || (args.includes('logs') && isFollowing(args))
  return args[0] === 'logs' || args[0] === 'container'
    ? isFollowing(args)
    : (args[0] === 'events' && !args.some((arg) => arg.startsWith('--until'))) ||
        (args[0] === 'stats' && !args.includes('--no-stream'))
}

const node: Rule = (args) => args.some((arg) => /^--watch(?:-path(?:=.*)?)?$/.test(arg))

const rules: Readonly<Record<string, Rule>> = {
  npm: runsScript,
  pnpm: runsScript,
  yarn: runsScript,
  bun: (args) => runsScript(args) || args.includes('--hot') || args.includes('--watch'),
  deno: (args) =>
    isFirst('serve')(args) || args.includes('--watch') || (args[0] === 'task' && isServing(args[1] ?? '')),
  node,
  tsx: (args) => isFirst('watch')(args),
  vite: (args) => !isFirst('build', 'optimize')(args) || isWatching(args),
  vitest: (args) => isFirst('watch', 'dev')(args) || isWatching(args) || args.includes('--ui'),
  jest: (args) => isWatching(args.filter((arg) => arg !== '-w')), // there it is a number of workers
  mocha: isWatching,
  tsc: isWatching,
  rollup: isWatching,
  sass: isWatching,
  tailwindcss: isWatching,
  esbuild: (args) => args.some((arg) => /^--(?:watch|serve)(?:=(?!false$)|$)/.test(arg)),
  webpack: (args) => isFirst('serve', 'watch')(args) || isWatching(args),
  parcel: (args) => !isFirst('build', 'help')(args),
  next: isFirst('dev', 'start'),
  nuxt: isFirst('dev', 'start', 'preview'),
  nuxi: isFirst('dev', 'preview'),
  astro: isFirst('dev', 'preview'),
  remix: isFirst('dev', 'watch'),
  gatsby: isFirst('develop', 'serve'),
  expo: isFirst('start'),
  ng: isFirst('serve'),
  nx: isFirst('serve'),
  nest: (args) => isFirst('start')(args),
  storybook: isFirst('dev'),
  'start-storybook': () => true,
  'vue-cli-service': isFirst('serve'),
  'react-scripts': isFirst('start'),
  wrangler: isFirst('dev', 'tail'),
  python,
  flask: isFirst('run'),
  fastapi: isFirst('dev', 'run'),
  'django-admin': isFirst('runserver'),
  'manage.py': isFirst('runserver'),
  streamlit: isFirst('run'),
  jupyter: isFirst('notebook', 'lab', 'server'),
  celery: (args) => args.includes('worker') || args.includes('beat'),
  mkdocs: isFirst('serve'),
  rails: isFirst('server', 's'),
  'bin/rails': isFirst('server', 's'),
  jekyll: isFirst('serve', 'server', 's'),
  thin: isFirst('start'),
  foreman: isFirst('start'),
  php: (args) => args.includes('-S') || (/(?:^|\/)artisan$/.test(args[0] ?? '') && args[1] === 'serve'),
  artisan: isFirst('serve'),
  symfony: (args) => isFirst('serve', 'server:start')(args) && !args.includes('-d'),
  hugo: isFirst('server', 'serve'),
  caddy: isFirst('run', 'file-server', 'reverse-proxy'),
  nginx: (args) => args.join(' ').includes('daemon off'),
  'redis-server': (args) => !args.join(' ').includes('daemonize yes'),
  cargo: isFirst('watch'),
  dotnet: isFirst('watch'),
  mix: isFirst('phx.server'),
  gradle: (args) => args.includes('bootRun') || args.includes('--continuous') || args.includes('-t'),
  mvn: (args) => args.some((arg) => /^(?:spring-boot:run|jetty:run|quarkus:dev)$/.test(arg)),
  docker,
  'docker-compose': compose,
  podman: docker,
  kubectl: (args) =>
    isFirst('port-forward', 'proxy')(args) || (args[0] === 'logs' && isFollowing(args)) || isWatching(args),
  tail: isFollowing,
  journalctl: (args) => args.some((arg) => /^(?:-[a-zA-Z]*f[a-zA-Z]*|--follow)$/.test(arg)),
  top: (args) => !args.some((arg) => /^-[a-zA-Z]*n\d*$/.test(arg)),
  air: (args) => !isFirst('format', 'check')(args),
  reflex: (args) => !isFirst('init', 'export', 'deploy', 'db')(args),
  dmesg: (args) => args.includes('-w') || args.includes('--follow'),
  inotifywait: (args) => args.some((arg) => /^(?:-[a-zA-Z]{0,9}m[a-zA-Z]{0,9}|--monitor)$/.test(arg)),
  ping: (args) => !args.some((arg) => /^-[cw]/.test(arg)),
  tcpdump: (args) => !args.some((arg) => arg.startsWith('-c') || arg.startsWith('-r')),
}
