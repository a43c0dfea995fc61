/**
 * The tiny parent of one stage: leader of session and group, keeper of the exit record. It lives as long as its worker
 * and outlives the hub. Passed as text, so that no file has to be found or trusted. One fork, builtins otherwise.
 *
 * Given: $1 the exit file, $2 what becomes of the gate after the go, then the command · 0 and 2 /dev/null · 1 the log ·
 * 3 the gate.
 * - The exit file is opened first and written in place: no path is looked up when the end comes.
 * - Handlers, not ignores: an ignored signal would stay ignored in the worker. They keep a signal to the group from
 *   ending the shim before its worker; one that comes at the gate ends the wait, and nothing was run.
 * - Only the line `go` opens the gate. A hub that died closes it. A shell reads a pipe byte by byte, so what follows the
 *   line stays in it: the token, left to the worker as descriptor 3 where its lane wants one, else closed unread.
 * - The shim's own stderr is not the log: "Killed" and the like are said by the shell, not by the worker. So the worker's
 *   stderr is turned to the log in the child (a subshell that becomes it); dash would else turn its own for that while.
 */
export const shimText = `exec 4<>"$1"
rest=$2
shift 2
trap : HUP INT QUIT TERM
IFS= read -r go <&3 || go=
if [ "$go" != go ]; then
echo never >&4
exit 0
fi
[ "$rest" = token ] || exec 3<&-
(exec "$@" 2>&1 4>&-)
code=$?
echo "$code" >&4
exit "$code"`

export const shellPath = '/bin/sh'

/** What the shell exits with when it could not even fork: only then there is such an end without an exit record. */
export const shellFailedCode = 2

/** Arguments of `/bin/sh`, its own name first. `wrapper` is put before the command (`setpriv …`), `[]` for none. */
export function buildShimArguments({
  exitPath,
  rest,
  wrapper,
  command,
}: {
  readonly exitPath: string
  /** What follows the go in the gate: a token for the worker, or nothing. */
  readonly rest: 'token' | 'nothing'
  readonly wrapper: readonly string[]
  readonly command: readonly string[]
}): readonly string[] {
  return ['sh', '-c', shimText, 'sh', exitPath, rest, ...wrapper, ...command]
}
