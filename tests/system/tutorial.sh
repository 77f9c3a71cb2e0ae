#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the tutorial: the programs in its text are the files of tools/example/tutorial/; each
# compiles, and counts lines as wc does. KTAP.

build=${NAP_BUILD:-build}
. "$(dirname "$0")/check.inc"
cd "$(dirname "$0")/../.." || exit 1
steps='1-task 2-group 3-loop 4-completion 5-fiber 6-limits 7-daemon'

echo "TAP version 13"
echo "1..17"

# text FILE: prints the block of that name
text()
{
	awk -v name="   :name: $1" '
		$0 == name { on = 1; getline; next }
		on && /^[^\t]/ { exit }
		on { sub(/^\t/, ""); print }' Documentation/tutorial.rst | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
}
for step in $steps; do
	text "$step-c" >"$tmp/text"
	tail -n +2 "tools/example/tutorial/$step.c" | cmp - "$tmp/text" || echo "$step"
done >"$tmp/out" 2>&1
[ ! -s "$tmp/out" ] && [ "$(ls tools/example/tutorial/*.c | wc -l)" = 7 ]
check "the programs in the text are the files'"

for step in $steps; do
	for cc in clang gcc; do
		$cc -std=gnu11 -O2 -Wall -Wextra -Werror -Iinclude -o "$tmp/$step" "tools/example/tutorial/$step.c" \
			"$build/libnap.a" -pthread || echo "$cc $step"
	done
done >"$tmp/out" 2>&1
[ ! -s "$tmp/out" ]
check "they compile without a warning, by gcc and by clang"

printf 'one\ntwo\nthree' >"$tmp/two"
: >"$tmp/none"
yes 'a line' | head -n 300000 >"$tmp/large"
files="$tmp/two $tmp/none $tmp/large Documentation/tutorial.rst"
# wc_of FILE...: prints what the programs have to print
wc_of()
{
	for file; do echo "$(wc -l <"$file") $file"; done
}
[ "$("$tmp/1-task" "$tmp/large")" = "300000 $tmp/large" ]
check "1-task counts a file's lines"
# shellcheck disable=SC2086
{ wc_of $files; echo "-2 $tmp/nowhere"; cat $files | wc -l | sed 's/$/ total/'; } >"$tmp/want"
# shellcheck disable=SC2086
"$tmp/2-group" $files "$tmp/nowhere" >"$tmp/out" 2>&1 && cmp -s "$tmp/want" "$tmp/out"
check "2-group many files', with the sum"
[ "$("$tmp/3-loop" "$tmp/large")" = "300000 $tmp/large" ] && ! "$tmp/3-loop" "$tmp/nowhere" 2>"$tmp/out" &&
	grep -q 'No such file' "$tmp/out"
check "3-loop one large file's, on all CPUs"
# shellcheck disable=SC2086
wc_of $files $files $files | sort >"$tmp/want"
# shellcheck disable=SC2086
printf '%s\n' $files $files $files | "$tmp/4-completion" | sort >"$tmp/out"
cmp -s "$tmp/want" "$tmp/out"
check "4-completion each that standard input names"

# ask FILE...: sends each file's name to the server, on one connection, and prints the answers
ask()
{
	python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.settimeout(60)
s.connect(sys.argv[1])
answers = s.makefile("r")
for name in sys.argv[2:]:
	s.sendall((name + "\n").encode())
	print(answers.readline(), end="")
if sys.argv[-1] == "metrics":
	s.shutdown(socket.SHUT_WR)
	print(answers.read())
' "$tmp/socket" "$@"
}
# begin PROGRAM: starts the server, and waits for its socket
begin()
{
	rm -f "$tmp/socket"
	"$tmp/$1" "$tmp/socket" >"$tmp/server" 2>&1 &
	server=$!
	for i in $(seq 600); do
		[ -S "$tmp/socket" ] && return
		sleep 0.1
	done
	return 1
}
for step in 5-fiber 6-limits 7-daemon; do
	# shellcheck disable=SC2086
	wc_of $files >"$tmp/want"
	# shellcheck disable=SC2086
	begin $step && ask $files >"$tmp/out" 2>&1 && cmp -s "$tmp/want" "$tmp/out"
	check "$step answers a client"
	for i in 1 2 3 4 5 6 7 8; do
		# shellcheck disable=SC2086
		ask $files >"$tmp/client$i" 2>&1 &
		clients="$clients $!"
	done
	# shellcheck disable=SC2086
	wait $clients
	clients=
	for i in 1 2 3 4 5 6 7 8; do cmp "$tmp/want" "$tmp/client$i" || cat "$tmp/client$i"; done >"$tmp/out" 2>&1
	[ ! -s "$tmp/out" ]
	check "and eight at once"
	[ $step = 7-daemon ] || { kill $server; wait $server; } 2>/dev/null
done
ask metrics >"$tmp/out" 2>&1 && grep -q '^nap_task_run_seconds_bucket{pool="lines",class="0",le=' "$tmp/out" &&
	grep -q '^nap_tasks_run_total{' "$tmp/out"
check "7-daemon's metrics are Prometheus's"
kill -USR1 $server && for i in $(seq 600); do grep -q '^pool' "$tmp/server" && break; sleep 0.1; done
cp "$tmp/server" "$tmp/out"
grep -q 'lines' "$tmp/server" && grep -q 'accept_clients' "$tmp/server"
check "SIGUSR1 has it say what its fibers do"
# A client that says nothing does not delay the end; a client that has asked before gets its
# answer.
python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
open(sys.argv[2], "w").close()
print(len(s.recv(1)))' "$tmp/socket" "$tmp/quiet" >"$tmp/idle" 2>&1 &
idle=$!
for i in $(seq 600); do [ -e "$tmp/quiet" ] && break; sleep 0.1; done
kill $server
wait $server
status=$?
wait $idle
cp "$tmp/server" "$tmp/out"
[ $status = 0 ] && [ "$(cat "$tmp/idle")" = 0 ] && [ ! -e "$tmp/socket" ]
check "SIGTERM ends it, with a client that says nothing ($status)"
# Each of these files has no end, and there is one more than workers, so one answer is queued. The
# daemon ends, and gives no wrong answer.
begin 7-daemon
python3 -c '
import os, signal, socket, sys, time
clients, files = [], []
for i in range(os.cpu_count() + 1):
	path = "%s/fifo%d" % (sys.argv[1], i)
	os.mkfifo(path)
	s = socket.socket(socket.AF_UNIX)
	s.settimeout(60)
	s.connect(sys.argv[1] + "/socket")
	s.sendall((path + "\n").encode())
	clients.append(s)
while True:			# until the daemon has the first file open
	try:
		files.append(os.open(sys.argv[1] + "/fifo0", os.O_WRONLY | os.O_NONBLOCK))
		break
	except OSError:
		time.sleep(0.01)
os.kill(int(sys.argv[2]), signal.SIGTERM)
def answer(s):
	try:
		return s.recv(100)
	except ConnectionResetError:
		return b""
print(b"".join(map(answer, clients)))' "$tmp" $server >"$tmp/out" 2>&1
cat "$tmp/out" >"$tmp/answers"
wait $server
status=$?
[ $status = 1 ] && [ "$(cat "$tmp/answers")" = "b''" ] && [ ! -e "$tmp/socket" ]
check "and with answers that take too long, of which one is queued ($status)"
! "$tmp/7-daemon" /nowhere/at/all 2>"$tmp/out" && grep -q 'No such file' "$tmp/out" && ! "$tmp/5-fiber" 2>"$tmp/out" &&
	grep -q usage "$tmp/out"
check "a socket that is not possible is said to be"
