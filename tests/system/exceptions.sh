#!/bin/sh
# SPDX-License-Identifier: MIT
#
# C++ exceptions (exceptions.cc) with each compiler, shared and static: through nap_call() the pool
# is as if the function had returned; in a fiber they are thrown and caught over waits; elsewhere one line and abort, or std::terminate() where
# nobody would have caught them. KTAP.

build=${NAP_BUILD:-build}
. "$(dirname "$0")/check.inc"
ulimit -c 0

pass="from_outside nested through_two on_a_worker after_work thread_exits in_fibers"
end_in_line="in_spawn_failed in_help in_quiesce in_wait in_wait_on_worker in_help_on_worker in_job \
	with_a_job"
end_in_terminate="in_task in_worker_start in_done in_lambda_task in_submit"

echo "TAP version 13"
echo "1..12"

run()
{
	LD_LIBRARY_PATH=$build "$tmp/program" "$1" >"$tmp/out" 2>"$tmp/err"
}

# dies CASE PATTERN: aborts, and its only line has the pattern
dies()
{
	run "$1"
	status=$?
	sed -i '/^Aborted/d' "$tmp/err"		# the shell's word
	[ $status -eq 134 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q "$2" "$tmp/err" && return
	echo "in $1" >>"$tmp/err"
	return 1
}

all()
{
	what=$1
	shift
	for one; do
		$what "$one" || return 1
	done
}

line()
{
	dies "$1" '^nap: \(an exception out of a task.* is not allowed\|.* with 1 jobs not joined\)'
}

terminate()
{
	dies "$1" '^terminate called'
}

for cxx in g++ clang++; do
	for how in shared static; do
		$cxx -std=c++20 -Wall -Wextra -Werror -O2 -Iinclude -o "$tmp/program" \
			tests/system/exceptions.cc $([ $how = shared ] && echo "-L$build -lnap" ||
			echo "-static $build/libnap.a") -pthread >"$tmp/out" 2>"$tmp/err" &&
			all run $pass
		check "$cxx $how: through nap_call(), and the pool is used and joined afterwards"
		all line $end_in_line
		check "$cxx $how: one line where somebody would catch it"
		all terminate $end_in_terminate
		check "$cxx $how: std::terminate() on a worker"
	done
done
