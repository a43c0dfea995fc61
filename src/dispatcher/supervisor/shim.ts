/**
 * The tiny parent of one stage: leader of session and group, keeper of the exit record. It lives as long as its worker
 * and outlives the hub. Passed as text, so that no file has to be found or trusted. One fork, builtins otherwise.
 *
 * Given: $1 the exit file, $2 what becomes of the gate after the go, $3 the control group to enter or nothing, then the
 * command · 0 and 2 /dev/null · 1 the log · 3 the gate.
 * - The exit file is opened first and written in place: no path is looked up when the end comes.
 * - Handlers, not ignores: an ignored signal would stay ignored in the worker. They keep a signal to the group from
 *   ending the shim before its worker; one that comes at the gate ends the wait, and nothing was run.
 * - It enters its control group by itself and before the gate: the kernel takes 10 ms for that, in which the hub works on.
 *   Where it cannot, it stays where it is.
 * - Only the line `go` opens the gate. A hub that died closes it. A shell reads a pipe byte by byte, so what follows the
 *   line stays in it: token and key, left to the worker as descriptor 3 where its lane wants one, else closed unread.
 * - No variable but one of our own name: any other could be one of the worker's, and would reach it changed.
 * - The shim's own stderr is not the log: "Killed" and the like are said by the shell, not by the worker. So the worker's
 *   stderr is turned to the log in the child (a subshell that becomes it); dash would else turn its own for that while.
 */
export const shimText = `exec 4<>"$1"
trap : HUP INT QUIT TERM
[ -z "$3" ] || echo 0 >"$3/cgroup.procs"
IFS= read -r _yardmaster_go <&3 || _yardmaster_go=
if [ "$_yardmaster_go" != go ]; then
echo never >&4
exit 0
fi
[ "$2" = token ] || exec 3<&-
(shift 3; exec "$@" 2>&1 4>&-)
set -- "$?"
echo "$1" >&4
exit "$1"`

/** Which descriptor of the shim is its exit file, from its first line to its end. */
export const exitDescriptor = 4

export const shellPath = '/bin/sh'

/** What the shell exits with when it could not even fork: only then there is such an end without an exit record. */
export const shellFailedCode = 2

/** Arguments of `/bin/sh`, its own name first. */
export function buildShimArguments({
  exitPath,
  rest,
  cgroup,
  wrapper,
  command,
}: {
  readonly exitPath: string
  /** What follows the go in the gate: a token for the worker, or nothing. */
  readonly rest: 'token' | 'nothing'
  /** Folder of the control group that it enters, where there is one. */
  readonly cgroup: string | undefined
  /** Put before the command (`setpriv …`), `[]` for none. */
  readonly wrapper: readonly string[]
  readonly command: readonly string[]
}): readonly string[] {
  return ['sh', '-c', shimText, 'sh', exitPath, rest, cgroup ?? '', ...wrapper, ...command]
}
