// biome-ignore-all lint/suspicious/noTemplateCurlyInString: text for the shell
import type { CodingTask } from './coding-task.ts'

const inShell = (
  name: string,
  task: Pick<CodingTask, 'asks' | 'text' | 'fault'> & { readonly check: string },
): CodingTask => ({
  ...task,
  name,
  file: `${name}.sh`,
  check: { file: 'check.sh', text: `set -eu\n. ./${name}.sh\n${task.check}\n`, run: 'bash check.sh' },
})

const is = (command: string, wanted: string) => `[ "$(${command})" = "${wanted}" ]`

/** Thirteen functions in shell. */
export const shellTasks: readonly CodingTask[] = [
  inShell('greet', {
    asks: 'greet loses all words of a name but the first.',
    text: 'greet() { echo "Hello, $*!"; }\n',
    fault: { right: '$*!', wrong: '$1!' },
    check: is('greet Ada Lovelace', 'Hello, Ada Lovelace!'),
  }),
  inShell('count_lines', {
    asks: 'count_lines does not count a last line without a line feed.',
    text: 'count_lines() { grep -c \'\' "$1"; }\n',
    fault: { right: 'grep -c \'\' "$1"', wrong: 'wc -l < "$1"' },
    check: `printf 'a\\nb' > lines.txt\n${is('count_lines lines.txt', '2')}`,
  }),
  inShell('basename_of', {
    asks: 'stem must take off the last ending only.',
    text: 'stem() { name=${1##*/}; echo "${name%.*}"; }\n',
    fault: { right: '%.*}', wrong: '%%.*}' },
    check: is('stem /a/b/notes.tar.gz', 'notes.tar'),
  }),
  inShell('largest', {
    asks: 'largest compares numbers as text.',
    text: 'largest() { printf \'%s\\n\' "$@" | sort -n | tail -n 1; }\n',
    fault: { right: 'sort -n', wrong: 'sort' },
    check: is('largest 9 10 8', '10'),
  }),
  inShell('with_spaces', {
    asks: 'first_words breaks file names with blanks apart.',
    text: 'first_words() { for file in "$@"; do head -c 3 "$file"; echo; done; }\n',
    fault: { right: 'head -c 3 "$file"', wrong: 'head -c 3 $file' },
    check: `printf abcdef > 'a b.txt'\n${is("first_words 'a b.txt'", 'abc')}`,
  }),
  inShell('default_port', {
    asks: 'port must fall back on 8080 also where PORT is empty.',
    text: 'port() { echo "${PORT:-8080}"; }\n',
    fault: { right: '${PORT:-8080}', wrong: '${PORT-8080}' },
    check: `PORT= ; ${is('port', '8080')}\nPORT=1; ${is('port', '1')}`,
  }),
  inShell('sum', {
    asks: 'sum forgets its last number.',
    text: 'sum() { total=0; for n in "$@"; do total=$((total + n)); done; echo "$total"; }\n',
    fault: { right: 'total + n', wrong: 'n' },
    check: is('sum 1 2 3', '6'),
  }),
  inShell('is_number', {
    asks: 'is_number takes the empty text for a number.',
    text: "is_number() { case $1 in '' | *[!0-9]*) return 1 ;; *) return 0 ;; esac; }\n",
    fault: { right: "'' | *[!0-9]*", wrong: '*[!0-9]*' },
    check: "is_number 12\nif is_number ''; then exit 1; fi\nif is_number 1a; then exit 1; fi",
  }),
  inShell('newest', {
    asks: 'keep_newest keeps the oldest lines.',
    text: 'keep_newest() { tail -n "$1"; }\n',
    fault: { right: 'tail -n', wrong: 'head -n' },
    check: is("printf '%s\\n' 1 2 3 | keep_newest 1", '3'),
  }),
  inShell('upper', {
    asks: 'shout leaves the letters from n on as they are.',
    text: "shout() { printf '%s\\n' \"$1\" | tr 'a-z' 'A-Z'; }\n",
    fault: { right: "'a-z' 'A-Z'", wrong: "'a-m' 'A-M'" },
    check: is('shout yard', 'YARD'),
  }),
  inShell('status_of', {
    asks: 'status_of always says 0.',
    text: 'status_of() { code=0; "$@" || code=$?; echo "$code"; }\n',
    fault: { right: 'code=$?;', wrong: 'true;' },
    check: is("status_of bash -c 'exit 3'", '3'),
  }),
  inShell('join_by', {
    asks: 'join_by leaves a separator at the end.',
    text: 'join_by() { IFS=$1; shift; echo "$*"; }\n',
    fault: { right: 'echo "$*"', wrong: 'echo "$*$IFS"' },
    check: is('join_by , a b c', 'a,b,c'),
  }),
  inShell('repeat', {
    asks: 'repeat says its word once too often.',
    text: 'repeat() { for ((n = 0; n < $1; n++)); do printf %s "$2"; done; }\n',
    fault: { right: 'n < $1', wrong: 'n <= $1' },
    check: is('repeat 3 ab', 'ababab'),
  }),
]
