import type { TaskKindName } from './task-kinds.ts'

/** What each kind of task does after it has written its `begin`. */
const acts: Readonly<Record<TaskKindName, string>> = {
  ok: 'end 0',
  code: 'end "$code"',
  flaky: 'if first; then end 1; else end 0; fi',
  later: 'if [ "$ends" -lt 2 ]; then end 75; else end 0; fi',
  forever_later: 'end 75',
  slow: 'nap 0.$code; end 0',
  family: 'sleep 0.$code & member $!; a=$!; sleep 0.$code & member $!; b=$!; wait $a; wait $b; end 0',
  stubborn: `trap 'now; note term "$run" "$up"' TERM; while :; do sleep 0.05; done`,
  late_quitter: `trap 'now; note term "$run" "$up"; end 0' TERM; while :; do sleep 0.05; done`,
  segfault: 'ulimit -c 0; now; note dies "$run" SIGSEGV "$up"; kill -SEGV $$; sleep 5',
  // Twice forked, in a session of its own, with its marker.
  daemon: '(setsid /bin/sh worker.sh sit "$trace" "$run" > /dev/null 2>&1 &); if first; then end 1; else end 0; fi',
  // In the group, without any variable.
  wiped: 'env -i /bin/sh worker.sh sit "$trace" "$run" & if first; then end 1; else end 0; fi',
  deaf_child: '/bin/sh worker.sh sit_deaf "$trace" "$run" & if first; then end 1; else end 0; fi',
  closed: 'exec >&- 2>&-; end 0',
  truncates: 'echo one; echo two; : > /proc/self/fd/1; echo three; end 0',
  floods: 'yes 0123456789abcdef | head -c 3000000; end 0',
  forks: 'i=0; while [ $i -lt 20 ]; do sleep 0.1 & i=$((i + 1)); done; member $!; if first; then end 1; else end 0; fi',
  // A child that has ended and is never waited for, below a parent that lives on.
  zombie: `sh -c 'sleep 0.01 & exec sleep 0.15' & member $!; wait $!; if first; then end 1; else end 0; fi`,
  keeper: 'setsid /bin/sh worker.sh kept "$trace" "$run" > /dev/null 2>&1 & sleep 0.05; end 0',
  // Leaves group, session, parents and marker at once: the one way out without a cgroup.
  escape: '(setsid env -i /bin/sh worker.sh sit "$trace.escaped" "$run" > /dev/null 2>&1 &); end 0',
  walled: `
if first; then
  printf '{"schema":1,"run":%s,"fence":%s,"status":"wall","reason":"rate_limit","message":"full","retryAt":"%s",' "\${run#R}" "$YARDMASTER_FENCE" "$(date -u -d '+2 seconds' +%FT%TZ)" > "$YARDMASTER_REPORT.new"
  printf '"needsHuman":null,"result":null,"data":null,"usage":null,"served":false,"turns":null}' >> "$YARDMASTER_REPORT.new"
  mv "$YARDMASTER_REPORT.new" "$YARDMASTER_REPORT"
  end 75
fi
end 0`,
}

/**
 * What every task of a round runs: `sh worker.sh KIND TRACE CODE`. It writes down from the inside what the books must
 * agree with, one line each, appended in one write: `begin`, `member` for each process that may outlive it, `term` for
 * each TERM it heard, `end` with the code it is about to leave. All by builtins of the shell, so that a task costs a
 * millisecond; times are seconds since boot.
 *
 * What `sit` leaves ends by itself after 15 s: a hub that was killed between an end and its sweep cannot prove that a
 * process without any mark is its own, and holds the task until it is gone (design section 6).
 *
 * At its beginning it looks at every process that an earlier attempt left a line of: one that still lives is written
 * down as `overlap`. Both of two at once append before they look, so at least one of them sees the other.
 */
export const workerScript = `
kind=$1 trace=$2 code=$3 run=$YARDMASTER_RUN
now() { read -r up _ < /proc/uptime; }
look() { 2>/dev/null read -r stat < "/proc/$1/stat" || return 1; stat=\${stat##*) }; set -- $stat; state=$1 ticks=\${20}; }
note() { echo "$*" >> "$trace"; }
member() { look "$1" && note member "$run" "$1" "$ticks"; }
end() { now; note end "$run" "$1" "$up"; exit "$1"; }
nap() { sleep "$1" & napper=$!; member $napper; wait $napper; }

case $kind in
sit) run=$code; look $$; note member "$run" $$ "$ticks"; trap '' HUP; exec sleep 15 ;;
sit_deaf) run=$code; look $$; note member "$run" $$ "$ticks"; trap '' TERM HUP; exec sleep 15 ;;
kept) run=$code; look $$; note kept "$run" $$ "$ticks"
  for name in HUP INT QUIT TERM USR1 USR2 CONT; do trap "note kept_signal $run $name" $name; done
  while :; do sleep 1; done ;;
esac

look $$; mine=$ticks; now
note begin "$run" $$ "$mine" "$up"
ends=0
while read -r what of pid born _; do
  case $what in
  end) ends=$((ends + 1)) ;;
  begin | member)
    if [ "$of" != "$run" ] && look "$pid" && [ "$ticks" = "$born" ] && [ "$state" != Z ]; then note overlap "$run" "$of" "$pid"; fi ;;
  esac
done < "$trace"
first() { [ "$ends" = 0 ]; }

case $kind in
${Object.entries(acts)
  .map(([kind, act]) => `${kind}) ${act.trim()} ;;`)
  .join('\n')}
esac
end 70
`
