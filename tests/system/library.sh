#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the library as a program meets it: `make install`, pkg-config, the program of the README as
# C and as C++, linked shared and static. NAP_SHORT=1: each program in C++ by one compiler and in one
# standard. KTAP.

build=${NAP_BUILD:-build}
. "$(dirname "$0")/check.inc"

echo "TAP version 13"
echo "1..$((${NAP_SHORT:+-5} + 25))"

${MAKE:-make} --no-print-directory install DESTDIR="$tmp/dest" PREFIX=/opt/nap >"$tmp/out" 2>&1
check "make install DESTDIR= PREFIX="
man3=$tmp/dest/opt/nap/share/man/man3
grep -q '^nap_schedule, nap_schedule_batch ' "$man3/nap_schedule.3" && grep -qx '\.so man3/nap_schedule\.3' "$man3/nap_schedule_batch.3" &&
	[ ! -e "$man3/nap_bare_exit.3" ]
check "with the manual of what is installed ($(ls "$man3" | wc -l))"

# The compiler finds everything below DESTDIR.
export PKG_CONFIG_PATH="$tmp/dest/opt/nap/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$tmp/dest"
readme_program <README.md >"$tmp/program.c"
cp "$tmp/program.c" "$tmp/program.cc"
lines=$(grep -c . "$tmp/program.c")
[ "$lines" -gt 5 ] && [ "$lines" -le 20 ]
check "the README's program has at most 20 lines ($lines)"

compile()
{
	# shellcheck disable=SC2046
	$1 -Wall -Wextra -Werror -o "$tmp/$2" "$tmp/$3" $(pkg-config --cflags --libs nap) >"$tmp/out" 2>&1 &&
		LD_LIBRARY_PATH="$tmp/dest/opt/nap/lib" "$tmp/$2" >>"$tmp/out" 2>&1
}
compile gcc c program.c
check "it compiles as C through pkg-config, and runs"
compile g++ cc program.cc
check "it compiles as C++ through pkg-config, and runs"
compile "clang -std=c11" clang program.c
check "it compiles as C11 with clang, and runs"

# unless_short COMPILER NAME SOURCE TEXT: a check of the program, except with NAP_SHORT=1
unless_short()
{
	[ -z "${NAP_SHORT:-}" ] || return 0
	compile "$1" "$2" "$3"
	check "$4"
}
cp tests/system/cxx_check.h "$tmp/"
cp tests/system/library_main.cc "$tmp/templates.cc"
compile "g++ -std=c++17" templates templates.cc
check "the templates of nap/nap.hpp do what the C calls do, by g++ as C++17"
unless_short "clang++ -std=c++20" templates templates.cc "and by clang++ as C++20"
cp tests/system/parallel_main.cc "$tmp/parallel.cc"
compile "clang++ -std=c++20" parallel parallel.cc
check "loops and sorts with lambdas do what the C calls do, and throw at the caller, by clang++ as C++20"
unless_short "g++ -std=c++17" parallel parallel.cc "and by g++ as C++17"
cp tests/system/daemon_main.cc "$tmp/daemon.cc"
compile "g++ -std=c++14 -Wshadow -Wpedantic" daemon daemon.cc
check "works, tasks and submits of nap/daemon.hpp do what the C calls do, and done() has what was thrown, by g++ as C++14"
unless_short "clang++ -std=c++20 -Wshadow -Wpedantic" daemon daemon.cc "and by clang++ as C++20"
if [ -z "${NAP_SHORT:-}" ]; then
	compile "g++ -std=c++17 -Wshadow -Wpedantic" daemon daemon.cc && compile "g++ -std=c++20 -Wshadow -Wpedantic" daemon daemon.cc &&
		compile "clang++ -std=c++14 -Wshadow -Wpedantic" daemon daemon.cc &&
		compile "clang++ -std=c++17 -Wshadow -Wpedantic" daemon daemon.cc
	check "and by both as what is between"
fi
cp tests/system/fiber_main.cc "$tmp/fiber.cc"
compile "clang++ -std=c++20 -Wshadow -Wpedantic" fiber fiber.cc
check "pools of nap/pool.hpp end with their objects, fibers and scopes of nap/fiber.hpp have what was returned or thrown, by clang++ as C++20"
unless_short "g++ -std=c++17 -Wshadow -Wpedantic" fiber fiber.cc "and by g++ as C++17"
printf '%s\n' '#include <nap/daemon.hpp>' 'struct r : nap::work<r> { void run() {} void done(int) { rethrow(); } };' \
	'int go(nap_pool *p, r *one) { return one->schedule(p); }' >"$tmp/plain.cc"
# shellcheck disable=SC2046
g++ -std=c++14 -fno-exceptions -Wall -Wextra -Werror -c -o "$tmp/o" "$tmp/plain.cc" \
	$(pkg-config --cflags nap) >"$tmp/out" 2>&1
check "nap/daemon.hpp compiles without exceptions"
printf '#include <nap/%s>\n' nap.hpp pool.hpp fiber.hpp >"$tmp/plain.cc"
cat >>"$tmp/plain.cc" <<'END'
int go(nap_pool *p) { return nap::for_each(p, 0, 9, [](size_t) {}); }
int wait(nap_pool *p) { nap::fiber f([] { return 1; }); nap::scope s(p); return s.spawn(f); }
int call() { nap::pool p; return nap::call(&p, [](nap_worker *, nap_frame *) {}); }
END
# shellcheck disable=SC2046
g++ -std=c++17 -fno-exceptions -Wall -Wextra -Werror -c -o "$tmp/o" "$tmp/plain.cc" \
	$(pkg-config --cflags nap) >"$tmp/out" 2>&1
check "nap/nap.hpp, nap/pool.hpp and nap/fiber.hpp compile without exceptions"

# not_compiled COMPILER FILE SAYS: whether the compiler refuses the file with this message
not_compiled()
{
	# shellcheck disable=SC2046
	! $1 -c -o "$tmp/o" "$tmp/$2" $(pkg-config --cflags nap) >"$tmp/out" 2>&1 && grep -q "error.*$3" "$tmp/out"
}
cat >"$tmp/large.c" <<'END'
#include <nap/nap.h>
struct large { char bytes[49]; };
void work(struct nap_worker *worker, struct nap_frame *top, struct large large);
NAP_JOB_VOID(work, struct large)
END
not_compiled gcc large.c "the argument of work() does not fit into a frame: use a pointer" &&
	not_compiled clang large.c "the argument of work() does not fit into a frame: use a pointer"
check "an argument that is too large is said to be, in C"
cat >"$tmp/large.cc" <<'END'
#include <nap/nap.hpp>
struct large { char bytes[49]; };
void work(nap_worker *, nap_frame *, large);
void fork(nap_worker *worker, nap_frame *top) { nap::fork<work>(worker, top, large()); }
END
not_compiled "g++ -std=c++17" large.cc "what a frame holds is small and trivial: use a pointer" &&
	not_compiled "clang++ -std=c++17" large.cc "what a frame holds is small and trivial: use a pointer"
check "and in C++"
cat >"$tmp/large.cc" <<'END'
#include <nap/daemon.hpp>
int go(nap_submitter *s, long a, long b, long *c) { return nap::submit(s, [=] { *c = a + b; }); }
END
not_compiled "g++ -std=c++14" large.cc "what is submitted has one pointer at most" &&
	not_compiled "clang++ -std=c++17" large.cc "what is submitted has one pointer at most"
check "and what is submitted"
# bad_done DECLARATION: whether a done() of this form is refused
bad_done()
{
	printf '%s\n' '#include <nap/daemon.hpp>' "struct r : nap::work<r> { void run() {} $1 {} };" \
		'int go(nap_pool *p) { static r one; return one.schedule(p); }' >"$tmp/done.cc"
	not_compiled "g++ -std=c++14" done.cc "" && not_compiled "clang++ -std=c++17" done.cc ""
}
bad_done 'void done()' && bad_done 'void done(const char *)' && bad_done 'private: void done(int)'
check "nor does a done() that cannot be called pass for none"
# shellcheck disable=SC2046
gcc -static -o "$tmp/static" "$tmp/program.c" $(pkg-config --cflags --libs --static nap) >"$tmp/out" 2>&1 &&
	"$tmp/static" >>"$tmp/out" 2>&1
check "it links statically, and runs"
# shellcheck disable=SC2046
gcc -static -Wl,--gc-sections -o "$tmp/static" "$tmp/program.c" \
	$(pkg-config --cflags --libs --static nap) >"$tmp/out" 2>&1 && "$tmp/static" >>"$tmp/out" 2>&1 &&
	nm "$tmp/static" >"$tmp/symbols" && grep -qw nap_schedule "$tmp/symbols" &&
	! grep -qw nap_pool_help "$tmp/symbols"
check "so it does with --gc-sections, without functions that it does not use"
cat >"$tmp/finish.c" <<'END'
#include <nap/nap.h>
static struct nap_pool pool;
int main(void) { struct nap_batch left = NAP_BATCH_INIT; return nap_work_finish(&pool, NULL, &left); }
END
without_queues()
{
	for how in -static -static-pie -pie; do
		gcc $how -o "$tmp/static" "$tmp/finish.c" -Iinclude "$build/libnap.a" -pthread &&
			"$tmp/static" && nm "$tmp/static" >"$tmp/symbols" &&
			grep -q ' T nap_work_finish$' "$tmp/symbols" &&
			! grep -E ' [Tt] nap_(serial|order)' "$tmp/symbols" || return 1
	done
}
without_queues >"$tmp/out" 2>&1
check "nap_work_finish() links in no serial queues"

cat >"$tmp/alias.c" <<'END'
#include "include/nap/nap.h"

struct job {
	struct nap_task task;
	int n;
};

int number(struct nap_task *task);
int number(struct nap_task *task)
{
	return nap_container_of(task, struct job, task)->n;
}
END
for cc in "gcc -std=gnu11" "g++ -x c++ -std=gnu++17"; do
	$cc -O2 -Wall -Wextra -Wstrict-aliasing=1 -Wcast-align=strict -Werror -I. -c \
		-o "$tmp/o" "$tmp/alias.c"
done >"$tmp/out" 2>&1
[ ! -s "$tmp/out" ]
check "nap_container_of() is no aliasing, however strict the compiler looks"
