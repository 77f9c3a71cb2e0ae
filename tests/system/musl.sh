#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the library on musl, as a program there meets it: linked shared, statically and as a static
# PIE, and loaded by a program that runs already. The tests of `make check-musl` link libnap.a.
# KTAP.

build=${NAP_BUILD:-build}/system-musl
lib=/usr/lib/$(uname -m)-linux-musl
. "$(dirname "$0")/check.inc"

echo "TAP version 13"
if ! command -v musl-gcc >/dev/null; then
	echo "1..0 # SKIP needs package musl-tools"
	exit 0
fi
echo "1..13"

musl_make()
{
	${MAKE:-make} --no-print-directory CC=musl-gcc "$@" >"$tmp/out" 2>&1
}

musl_make print-test TEST=unit/stack && grep -q 'build/musl/tests/unit/stack$' "$tmp/out"
check "musl-gcc has a directory of its own"
# Builds in another directory than the part musl, which may be building at the same time.
musl_make B="$build" all
check "builds with musl-gcc, and no other option"
readelf -d "$build/libnap.so.1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' >"$tmp/out"
[ "$(cat "$tmp/out")" = libc.so ]
check "needs musl alone"
NAP_BUILD=$build sh tests/system/errno.sh >"$tmp/out" 2>&1 && grep -q '^ok 1' "$tmp/out"
check "calls nothing of musl's that may change errno untried"

readme_program <README.md >"$tmp/program.c"
compile="musl-gcc -Wall -Wextra -Werror -O2 -fPIE -Iinclude"
# links KIND WITH...: checks that the program links and runs, and that its ELF type, followed by
# "loaded" if it names a loader, is KIND
links()
{
	kind=$1
	shift
	$compile -o "$tmp/program" "$@" >"$tmp/out" 2>&1 &&
		LC_ALL=C readelf -hl "$tmp/program" >"$tmp/elf" 2>>"$tmp/out" &&
		awk '$1 == "Type:" { type = $2 } $1 == "INTERP" { type = type " loaded" } END { print type }' \
			"$tmp/elf" >>"$tmp/out" && grep -qx "$kind" "$tmp/out" &&
		timeout 60 "$tmp/program" >>"$tmp/out" 2>&1
}
links 'DYN loaded' "$tmp/program.c" -L"$build" -lnap -Wl,-rpath,"$PWD/$build"
check "the README's program links with the shared library, and runs"
links EXEC -static "$tmp/program.c" "$build/libnap.a"
check "and with the static one into a static program"
# musl-gcc knows no -static-pie: these options have its effect
links DYN -nostartfiles -static -Wl,-static,-pie,--no-dynamic-linker,-z,text \
	"$lib/rcrt1.o" "$lib/crti.o" "$(gcc -print-file-name=crtbeginS.o)" "$tmp/program.c" "$build/libnap.a" \
	"$(gcc -print-file-name=crtendS.o)" "$lib/crtn.o"
check "and into a static PIE"

# The program loads nap when there is a second thread already, with its thread-local storage.
cat >"$tmp/host.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <nap/nap.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 2);
static struct nap_task tasks[2];
static unsigned nr_run;
static pthread_barrier_t loaded, used, closed;

static __typeof__(nap_schedule) *schedule;
static __typeof__(nap_call) *call;
static __typeof__(nap_pool_quiesce) *quiesce;
static __typeof__(nap_pool_join) *join;
static __typeof__(nap_worker_self) *worker_self;

static void count(struct nap_task *task)
{
	(void)task;
	__atomic_add_fetch(&nr_run, worker_self() != NULL, __ATOMIC_RELAXED);
}

/* Schedules the next from a worker. */
static void go_on(struct nap_task *task)
{
	count(task);
	task->run = count;
	if (schedule(&pool, task))
		nr_run += 1000;
}

static void called(struct nap_worker *worker, void *arg)
{
	(void)arg;
	__atomic_add_fetch(&nr_run, worker_self() == worker, __ATOMIC_RELAXED);
}

/* Three are run each time; of @task nobody else knows meanwhile. */
static int use(struct nap_task *task)
{
	task->run = go_on;
	return worker_self() || schedule(&pool, task) || call(&pool, called, NULL) || quiesce(&pool);
}

static void *thread_that_was_there(void *arg)
{
	int *bad = arg;

	pthread_barrier_wait(&loaded);
	*bad = use(&tasks[1]);
	pthread_barrier_wait(&used);
	pthread_barrier_wait(&closed);
	*bad |= use(&tasks[1]);
	return NULL;
}

static int say(const char *what)
{
	puts(what);
	return 1;
}

#define FIND(function, name) (*(void **)&(function) = dlsym(nap, name))

int main(int argc, char **argv)
{
	int bad = 0, status = -1;
	pthread_t thread;
	pid_t child;
	void *nap;

	pthread_barrier_init(&loaded, NULL, 2);
	pthread_barrier_init(&used, NULL, 2);
	pthread_barrier_init(&closed, NULL, 2);
	pthread_create(&thread, NULL, thread_that_was_there, &bad);
	nap = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	if (!nap)
		return say(dlerror());
	if (!FIND(schedule, "nap_schedule") || !FIND(call, "nap_call") ||
	    !FIND(quiesce, "nap_pool_quiesce") || !FIND(join, "nap_pool_join") ||
	    !FIND(worker_self, "nap_worker_self"))
		return say(dlerror());
	pthread_barrier_wait(&loaded);
	if (use(&tasks[0]))
		return say("not used");
	pthread_barrier_wait(&used);
	if (dlclose(nap))
		return say(dlerror());
	/* Workers are asleep inside of it, and are woken. */
	pthread_barrier_wait(&closed);
	bad |= use(&tasks[0]);
	pthread_join(thread, NULL);
	child = fork();
	if (child == 0)
		_exit(schedule(&pool, &tasks[0]) == -ESHUTDOWN ? 42 : 1);
	waitpid(child, &status, 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 42)
		return say("the child failed");
	if (bad || join(&pool, NULL) || nr_run != 12)
		return say("not all was run");
	return 0;
}
END
$compile -o "$tmp/host" "$tmp/host.c" >"$tmp/out" 2>&1
check "a program that loads it compiles without it"
timeout 60 "$tmp/host" "$build/libnap.so.1" >"$tmp/out" 2>&1
check "it is loaded, used by threads that were there, closed, and goes on"

# musl's threads have small stacks. Static programs need no loader.
programs='stack nesting deep'
# shellcheck disable=SC2086
musl_make B="$build" LDFLAGS=-static $(printf "$build/tests/unit/%s " $programs)
check "unit tests link with it statically"
for program in $programs; do
	timeout 300 "$build/tests/unit/$program" >"$tmp/out" 2>&1
	check "unit/$program"
done
