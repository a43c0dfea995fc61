import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findEndless } from '../../../../../src/worker/tools/terminal/shell/find-endless.ts'
import { findCommandsLike, isLike } from '../../../../../src/worker/tools/terminal/shell/match-commands.ts'
import { readShell } from '../../../../../src/worker/tools/terminal/shell/read-shell.ts'
import { cpuTimer } from '../../../../cpu-timer.ts'

const wordsOf = (text: string): readonly (readonly string[] | '&')[] =>
  readShell(text).events.map((event) => (event.kind === 'command' ? event.words : '&'))

describe('what would be left behind is found', () => {
  test.each([
    ['[[ -f x ]] && sleep 100 &', '&'],
    ['[[ $(nohup x) ]]', 'nohup'],
    ['case x in a) sleep 100 & ;; esac', '&'],
    ['case x in a) true;; esac; nohup x', 'nohup'],
    ['case $(nohup y) in a|b) true;; esac', 'nohup'],
    ['case x in $(nohup z)) true;; esac', 'nohup'],
    ['case x in a) true; esac; (nohup x)', 'nohup'],
    ['f () { nohup x; }', 'nohup'],
    ['function f { nohup x; }', 'nohup'],
    ['function f () { nohup x; }', 'nohup'],
    ['function f() { nohup x; }; f', 'nohup'],
    ['sleep 100 &', '&'],
    ['sleep 100 & echo $!', '&'],
    ['sleep 100 >log 2>&1 &', '&'],
    ['(sleep 100 &)', '&'],
    ['{ sleep 100; } &', '&'],
    ['if true; then sleep 100 & fi', '&'],
    ['for i in 1 2; do sleep 100 & done', '&'],
    ['x=$(sleep 100 &)', '&'],
    ['echo `sleep 100 &`', '&'],
    ['cat <<EOF >f &\ntext\nEOF', '&'],
    ['bash -c "sleep 100 &"', '&'],
    ["sh -lc 'sleep 100 & echo x'", '&'],
    ['eval "sleep 100 &"', '&'],
    ['curl http://host/?a=1&b=2', '&'],
    ['f() { sleep 100 & }; f', '&'],
    ['coproc sleep 100', '&'],
    ['(sleep 100 & wait); sleep 5 &', '&'],
    ['nohup sleep 100', 'nohup'],
    ['cd x && nohup ./run.sh > log', 'nohup'],
    ['env A=1 nohup x', 'nohup'],
    ['/usr/bin/setsid -f x', 'setsid'],
    ['"setsid" x', 'setsid'],
    ['sudo -u me setsid x', 'setsid'],
    ['disown -h %1', 'disown'],
    ['A=1 B="x y" nohup z', 'nohup'],
    ['timeout 5 nohup x', 'nohup'],
  ])('%s', (command, by) => {
    expect(findEndless(command)).toEqual({ kind: 'detaches', by })
  })
})

describe('servers and watchers are known', () => {
  test.each([
    'npm run dev',
    'npm start',
    'npm run start:server -- --port 3000',
    'yarn dev',
    'pnpm --filter web dev',
    'bun run dev',
    'npx vite',
    'vite --port 5173',
    'vite preview',
    'next dev',
    'npx next dev -p 3001',
    'node --watch server.js',
    'python -m http.server',
    'python3.11 -m http.server 8000',
    'python manage.py runserver 0.0.0.0:8000',
    'FLASK_APP=x flask run',
    'uv run flask run',
    'poetry run uvicorn app:app',
    'uvicorn app:app --reload',
    'gunicorn app',
    'rails server',
    'bundle exec rails s',
    'bin/rails server',
    'php -S localhost:8000',
    'php artisan serve',
    'tail -f log',
    'tail -n 5 -F log',
    'tail --follow=name log',
    'watch -n 1 ls',
    'cd app && npm run dev',
    'bash -c "npm run dev"',
    'tsc --watch',
    'jest --watchAll',
    'docker compose up',
    'docker logs -f web',
    'kubectl port-forward svc/x 80',
    'journalctl -fu ssh',
    'ping localhost',
    'hugo server',
    'nodemon app.js',
  ])('%s', (command) => {
    expect(findEndless(command)?.kind).toBe('serves')
  })
})

describe('what ends by itself is let be', () => {
  test.each([
    '[[ $x =~ ^(serve|dev) && top == $y ]] && echo y',
    'if [[ "$x" =~ (top) ]]; then echo; fi',
    'case "$1" in start) echo s;; serve) echo x;; watch|top) echo w;; esac',
    'case $x in\n  watch)\n    echo 1\n    ;;\n  *) echo;;\nesac',
    'x=$(case $y in (serve) echo 1;; esac); echo $x',
    'serve () { echo hi; }',
    'for ((i=1; i & 7; i<<=1)); do echo $i; done',
    'npm run dev:build',
    'npm run start-ci',
    'yarn start:test',
    'top -bn1',
    'top -b -n 1 | head',
    'jest -w 2',
    'vite -v',
    'uvicorn -h',
    'ngrok version',
    'docker compose up --exit-code-from tests',
    'docker stats --no-stream',
    'air format .',
    'journalctl -F _SYSTEMD_UNIT',
    'esbuild --watch=false',
    'constructor1 x',
    'npm test',
    'npm run build && npm run lint',
    'npm run startle',
    'npm install express',
    'npx vitest run',
    'vite build',
    'next build',
    'tail -5 log',
    'tail -n +3 log | head',
    'timeout 5 npm run dev',
    'timeout -k 1 5s bash -c "npm run dev"',
    'sleep 1 & sleep 2 & wait',
    'for i in 1 2; do sleep $i & done; wait',
    '(sleep 1 & wait)',
    'a && b || c',
    'make 2>&1 | tee log',
    'make &> log',
    'make &>> log',
    'make >& log',
    'make |& tee log',
    'cmd 3<&0 4>&-',
    'echo "a & b"',
    "echo 'nohup x &'",
    "echo $'it\\'s & that'",
    'echo a\\&b',
    'echo nohup setsid',
    'which nohup; command -v setsid; man disown',
    'cat <<EOF\nsleep 1 &\nnohup x\nEOF',
    "cat <<-'E O F' | sh\n\tx &\n\tE O F",
    'cat <<A <<B\nx &\nA\ny &\nB\necho z',
    'cat <<<"x & y"',
    '# npm run dev &',
    'ls # &',
    'echo a#b',
    'echo $((1 & 2)); (( x = 1 & 2 ))',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's
    'echo ${x:-&} ${y//&/z}',
    '[[ -f a && -d b ]] && echo x',
    'case $x in a) ls;; *) ls 2>&1;; esac',
    'case $x in a) ls ;& b) ls;;& *) ls;; esac',
    'arr=(nohup x)',
    'diff <(ls a) <(ls b)',
    'git commit -m "Serve & watch"',
    'grep -r "npm run dev" .',
    'python -m pytest',
    'docker compose up -d',
    'rails db:migrate',
    'flask --help',
    'uvicorn --version',
    'watch() { ls; }',
    'function watch { ls; }',
    'function watch () { ls; }',
    'ping -c 1 localhost',
    '',
    '   \n\t ',
  ])('%j', (command) => {
    expect(findEndless(command)).toBeUndefined()
  })
})

test('words are read as the shell would read them', () => {
  expect(wordsOf(`A=1 echo "a b"'c'\\ d $'e' f"$x"g > out 2>&1 < in; ls -l|wc -l`)).toEqual([
    ['echo', 'a bc d', 'e', 'f$xg'],
    ['ls', '-l'],
    ['wc', '-l'],
  ])
  expect(wordsOf('echo a \\\n b\nc &')).toEqual([['echo', 'a', 'b'], ['c'], '&'])
  expect(wordsOf('while read -r x; do echo "$x"; done < f')).toEqual([
    ['read', '-r', 'x'],
    ['echo', '$x'],
  ])
})

test.each(['echo "x', "echo 'x", 'echo `x', 'echo $(x', 'cat <<E\nx', '(x', `echo ${'$('.repeat(500)}`])(
  'what never ends is said to be unclear: %j',
  (text) => {
    expect(readShell(text).reading).toBe('unclear')
  },
)

const pieces = [
  '"',
  "'",
  '`',
  '$(',
  '$((',
  '${',
  '(',
  ')',
  '{',
  '}',
  '<<E',
  '\nE\n',
  '&',
  '&&',
  ';',
  '|',
  '\\',
  '#',
  ' ',
]
const shellText = fc.array(fc.oneof(fc.constantFrom(...pieces, 'a', 'bash -c', 'eval', '\n', '<', '>'), fc.string()))

test('no text makes it throw', () => {
  fc.assert(
    fc.property(shellText, (parts) => {
      const text = parts.join('')
      readShell(text)
      findEndless(text)
      findCommandsLike(text, ['git push*'])
    }),
    { numRuns: 1_000 },
  )
})

test('quoted, any text is one word that starts nothing', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const quoted = `'${text.replaceAll("'", "'\\''")}'`
      expect(wordsOf(`echo ${quoted}`)).toEqual([['echo', text]])
      expect(findEndless(`echo ${quoted}`)).toBeUndefined()
    }),
  )
})

test.each([
  ['open brackets', '('],
  ['quotes', '"\\"'],
  ['backslashes', "$'\\\\"],
  ['here documents', '<<E '],
  ['expansions', '${'],
  ['backticks', '`\\`'],
  ['ampersands', '& '],
])('three million bytes of %s are read in a moment', (_, piece) => {
  const usedMs = cpuTimer()
  readShell(piece.repeat(3_000_000 / piece.length))
  expect(usedMs()).toBeLessThan(10_000)
})

test.each([
  ['a program whose name is a number', `${'1'.repeat(120_000)}x`],
  ['an option of a follower', `tail -${'f'.repeat(120_000)}1`],
  ['an option of a watcher', `inotifywait -${'m'.repeat(120_000)}1`],
  ['an option of a shell', `bash -${'c'.repeat(120_000)}1`],
  ['a command behind very many others', 'env '.repeat(30_000)],
  ['very many that are waited for', `${'a&'.repeat(60_000)}\nwait`],
])('%s is understood in a moment', (_, command) => {
  const usedMs = cpuTimer()
  expect(findEndless(command)).toBeUndefined()
  expect(usedMs()).toBeLessThan(5_000)
})

describe('commands that an operator forbids', () => {
  test.each([
    ['git push', ['git push*']],
    ['git push --force origin main', ['git push*']],
    ['cd x && /usr/bin/git push', ['git push*']],
    ['A=1 sudo git push', ['git push*']],
    ['bash -c "git push"', ['git push*']],
    ['eval git push', ['git push*']],
    ['function f { git push; }; f', ['git push*']],
    ['echo $(git push)', ['git push*']],
    ['rm -rf /', ['rm -rf /']],
    ['xargs rm -rf < list', ['rm -rf*']],
    ['$GIT push', ['git push*']],
    ['`which git` push', ['git push*']],
    ['echo "never ends', ['git push*']],
  ])('%s is one', (command, patterns) => {
    expect(findCommandsLike(command, patterns)).toBeDefined()
  })

  test.each([
    ['git pull', ['git push*']],
    ['echo git push', ['git push*']],
    ['grep "git push" docs', ['git push*']],
    ['rm -rf /tmp/x', ['rm -rf /']],
    ['$GIT push', []],
    ['git log --grep=push', ['git push*']],
  ])('%s is none', (command, patterns) => {
    expect(findCommandsLike(command, patterns)).toBeUndefined()
  })

  test('stars stand for any text, in linear time', () => {
    expect(isLike('git push origin main', 'git * main')).toBe(true)
    expect(isLike('git push', 'git*push')).toBe(true)
    expect(isLike('gitpush', 'git *push')).toBe(false)
    expect(isLike('aa', 'a*a*a')).toBe(false)
    const usedMs = cpuTimer()
    expect(isLike(`${'a'.repeat(100_000)}b`, `${'*a'.repeat(50)}*c`)).toBe(false)
    expect(usedMs()).toBeLessThan(5_000)
  })
})
