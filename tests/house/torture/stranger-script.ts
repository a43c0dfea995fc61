/**
 * A process that is nobody's of ours and writes down every signal that reaches it: `sh stranger.sh FILE`. It waits at its
 * standard input and forks nothing; KILL is seen by its absence.
 */
export const strangerScript = `
for name in HUP INT QUIT USR1 USR2 ALRM TERM CONT; do trap "echo $name >> '$1'" $name; done
echo up $$ >> "$1"
while :; do
  read -r _ || [ -d /proc/$PPID ] || exit 0
done
`
