#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests C++ exceptions (exceptions.cc) with each compiler, shared and static. Through nap_call()
# the pool behaves as if the function had returned. In a fiber exceptions are thrown and caught
# over waits. Elsewhere an exception ends the program: by a line and abort(), or by
# std::terminate() where nothing would have caught the exception. KTAP.

build=${NAP_BUILD:-build}
. "$(dirname "$0")/check.inc"
ulimit -c 0

pass="from_outside nested through_two on_a_worker after_work thread_exits lambda_exits \
	canceled_in_scope in_fibers"
end_in_line="in_spawn_failed in_help in_quiesce in_wait in_wait_on_worker in_help_on_worker in_job \
	with_a_job in_range in_add in_merge in_comparison in_end_of_data"
end_in_terminate="in_task in_worker_start in_done in_lambda_task in_submit"

echo "TAP version 13"
echo "1..14"

run()
{
	LD_LIBRARY_PATH=$build "$tmp/program" "$1" >"$tmp/out" 2>"$tmp/err"
}

# dies CASE PATTERN: whether the case aborts, and its only line matches the pattern
dies()
{
	run "$1"
	status=$?
	sed -i '/^Aborted/d' "$tmp/err"		# the shell has printed this line
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

# A program in C loads its first library of C++ later, with RTLD_LOCAL or RTLD_GLOBAL: each fiber
# has its own exceptions.
cat >"$tmp/host.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <nap/nap.h>

static struct nap_pool pool;

int main(int argc, char **argv)
{
	int (*run)(struct nap_pool *);
	void *plugin;

	(void)argc;
	if (nap_pool_init(&pool, &(struct nap_config){ .max_workers = 1 }))
		return 2;
	plugin = dlopen(argv[1], RTLD_NOW | (argv[2][0] == 'g' ? RTLD_GLOBAL : RTLD_LOCAL));
	if (!plugin)
		return puts(dlerror()), 2;
	*(void **)&run = dlsym(plugin, "run");
	return run(&pool) || nap_pool_join(&pool, NULL);
}
END
cat >"$tmp/plugin.cc" <<'END'
#include <nap/nap.h>
#include <nap/fiber.h>

static int nr_wrong;

// Each is in its handler while the others are in theirs.
static intptr_t catches(void *number)
{
	try {
		throw number;
	} catch (...) {
		nap_yield();
		try {
			throw;
		} catch (void *caught) {
			nr_wrong += caught != number;
		}
	}
	return 0;
}

extern "C" int run(nap_pool *pool)
{
	nap_fiber *fibers[20];

	for (intptr_t i = 0; i < 20; i++)
		nap_spawn(pool, &fibers[i], catches, reinterpret_cast<void *>(i));
	for (nap_fiber *fiber : fibers)
		nap_await(fiber, nullptr);
	return nr_wrong;
}
END
for how in global local; do
	gcc -std=gnu11 -O2 -Iinclude -o "$tmp/host" "$tmp/host.c" -L"$build" -lnap -pthread >"$tmp/out" 2>"$tmp/err" &&
		g++ -std=c++17 -O2 -fPIC -shared -Iinclude -o "$tmp/plugin.so" "$tmp/plugin.cc" -L"$build" -lnap &&
		LD_LIBRARY_PATH=$build timeout 60 "$tmp/host" "$tmp/plugin.so" $how >"$tmp/out" 2>"$tmp/err"
	check "in fibers of a plugin, whose C++ comes with it ($how)"
done
