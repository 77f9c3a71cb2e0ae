#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests nap-hello, the program without a libc: what it needs (nothing), how large it is, and that it
# runs, natively and emulated, and as the only process of a new PID namespace in an empty root.
# `make bare` has built it for every machine. KTAP.

# Functions that nap-hello does not use, one of each part of the library.
unused='nap_schedule_batch|nap_pool_help|nap__fork_mode|nap__take_class|nap__sent_answer|nap__ends_add'
unused="$unused|nap__go_ops|nap__os_quota_cpus|nap__os_online_cpus|nap__timers_fire"
sum='sum of 1 to 1000000: 500000500000'
. "$(dirname "$0")/check.inc"

# $1: the directory below build/; the rest: the command that runs it
check_program()
{
	program=build/$1/nap-hello
	shift
	file "$program" >"$tmp/out" && grep -q 'static' "$tmp/out" && ! grep -q interpreter "$tmp/out"
	check "$program: static, no interpreter"
	readelf -lW "$program" >"$tmp/out" && ! grep -q INTERP "$tmp/out" &&
		readelf -hW "$program" >"$tmp/out" && grep -q 'Type: *DYN' "$tmp/out"
	check "$program: position-independent"
	nm -u "$program.full" >"$tmp/out" 2>&1 && [ ! -s "$tmp/out" ]
	check "$program: nm -u prints nothing"
	stat -c %s "$program" >"$tmp/out" && [ "$(cat "$tmp/out")" -le 40960 ]
	check "$program: at most 40 KiB ($(cat "$tmp/out") bytes)"
	nm "$program.full" >"$tmp/out" && grep -qw nap_schedule "$tmp/out" &&
		! grep -qwE "$unused" "$tmp/out"
	check "$program: without functions that it does not use"
	nm -u "${program%/*}/obj/os/bare/relocate.o" >"$tmp/out" 2>&1 && [ ! -s "$tmp/out" ]
	check "$program: relocates itself without a call"
	"$@" "$program" >"$tmp/out" 2>"$tmp/err" && [ "$(cat "$tmp/out")" = "$sum" ]
	check "$program: runs"
}

echo "TAP version 13"
echo "1..49"

check_program bare
check_program aarch64-bare qemu-aarch64
check_program riscv64-bare qemu-riscv64

name='as the only process of a new PID namespace, in an empty root'
user=$(namespaces chroot / true)
if [ -n "$user" ]; then
	mkdir "$tmp/root" && cp build/bare/nap-hello "$tmp/root/"
	unshare $user --pid --fork chroot "$tmp/root" /nap-hello >"$tmp/out" 2>"$tmp/err" &&
		[ "$(cat "$tmp/out")" = "$sum" ]
	check "$name"
else
	nr=$((nr + 1))
	echo "ok $nr $name # SKIP no namespaces may be made here"
fi

# Symbols that the library leaves undefined come from the linker and the program.
for build in bare aarch64-bare riscv64-bare riscv64-bare-trace; do
	nm -g "build/$build/libnap.a" | awk '$1 == "U" { want[$2] = 1 } NF == 3 { have[$3] = 1 }
		END { for (s in want) if (!(s in have)) print s; if (!NR) print "nothing" }' |
		grep -vxE 'main|__ehdr_start|_GLOBAL_OFFSET_TABLE_|__global_pointer\$' >"$tmp/out"
	[ ! -s "$tmp/out" ]
	check "build/$build/libnap.a needs no library"
done

# The manual's program and command line, with only the compiler and the installed files. Two things
# that depend on options are added: an atomic builtin and another file's thread-local variable.
awk '/^\.\. code-block:: c$/ { on = 1; next } /^[^ \t]/ { on = 0 } on' \
	Documentation/freestanding.rst | sed 's/int main(void)/static int manual(void)/' >"$tmp/program.c"
cat >>"$tmp/program.c" <<'EOF'
extern __thread int elsewhere;
static int calls;

int main(void)
{
	__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
	return manual() ? 1 : elsewhere + calls == 42 ? 0 : 2;
}
EOF
echo '__thread int elsewhere = 41;' >"$tmp/elsewhere.c"
options=$(awk '/^\tgcc / { on = 1; $1 = "" } on { more = sub(/\\$/, ""); print; if (!more) exit }' \
	Documentation/freestanding.rst)
pie=${options%program.c -lnap-bare}
fixed=$(echo "$pie" | sed 's/-fPIE/-fno-pie/; s/-static-pie/-static -no-pie/')

# $1: the test's name; $2: the command that runs it; the rest: the compiler with its options
check_linked()
{
	name=$1 run=$2
	shift 2
	rm -f "$tmp/program"
	"$@" -I"$to/include" -o "$tmp/program" "$tmp/program.c" "$tmp/elsewhere.c" \
		-L"$to/lib" -lnap-bare >"$tmp/out" 2>&1 && {
		$run "$tmp/program" >>"$tmp/out" 2>"$tmp/err" || ! echo "exit code $?" >>"$tmp/out"
	}
	check "freestanding.rst's program, $name"
}

# $1: the machine; $2, $3: the manual's options for this machine, those that are always needed and
# those for clang's PIE
check_manual()
{
	to=$tmp/$1/opt/nap
	gcc=$1-linux-gnu-gcc run=qemu-$1
	[ "$1" != "$(uname -m)" ] || gcc=gcc run=
	if ! command -v "$gcc" >/dev/null; then
		for name in install gcc 'gcc, fixed' clang 'clang, fixed'; do
			nr=$((nr + 1))
			echo "ok $nr $1: $name # SKIP needs package gcc-$1-linux-gnu"
		done
		return
	fi
	${MAKE:-make} --no-print-directory install BARE=1 ARCH="$1" DESTDIR="$tmp/$1" PREFIX=/opt/nap \
		>"$tmp/out" 2>&1 && [ -e "$to/lib/libnap-bare.a" ] && [ ! -e "$to/lib/libnap.a" ]
	check "make install BARE=1 ARCH=$1"
	check_linked "$1, gcc, as it says" "$run" $gcc $pie $2
	check_linked "$1, gcc, at a fixed address" "$run" $gcc $fixed $2
	check_linked "$1, clang, as it says" "$run" clang --target="$1-linux-gnu" $pie $2 $3
	check_linked "$1, clang, at a fixed address" "$run" \
		clang --target="$1-linux-gnu" $fixed $2
}

check_manual x86_64 '' ''
check_manual aarch64 -mno-outline-atomics ''
check_manual riscv64 '' -Wl,-z,notext

# A protocol that nothing names is not linked. Then nap_pool_init() refuses the protocol, and a
# static pool that asks for it gets the first protocol of enum nap_idle instead.
cat >"$tmp/protocol.c" <<'EOF'
#include <nap/bare.h>
#include <nap/nap.h>

#define ENOSYS 38

LINKED

static struct nap_pool pool = NAP_POOL_INIT(.max_workers = 1, .idle = NAP_IDLE_GO), other;
static int ran;

static void run(struct nap_task *task)
{
	(void)task;
	ran++;
}

int main(void)
{
	struct nap_config config = { .idle = NAP_IDLE_GO };
	struct nap_task task = NAP_TASK_INIT(run);

	if (nap_pool_init(&other, &config) != ANSWER)
		return 1;
	if (nap_schedule(&pool, &task) || nap_pool_join(&pool, NULL))
		return 2;
	return ran == 1 ? 0 : 3;
}
EOF
# $1: the test's name; $2: code at file scope; $3: nap_pool_init()'s result; $4: how often the
# protocol is linked
check_protocol()
{
	to=$tmp/x86_64/opt/nap
	[ "$(uname -m)" = x86_64 ] || to=$tmp/$(uname -m)/opt/nap
	gcc $pie -I"$to/include" -DLINKED="$2" -DANSWER="$3" -o "$tmp/protocol" "$tmp/protocol.c" \
		-L"$to/lib" -lnap-bare >"$tmp/out" 2>&1 && "$tmp/protocol" >>"$tmp/out" 2>"$tmp/err" &&
		nm "$tmp/protocol" >"$tmp/out" && [ "$(grep -cw nap__go_ops "$tmp/out")" = "$4" ]
	check "NAP_IDLE_GO, $1"
}

check_protocol 'not linked' '' -ENOSYS 0
check_protocol 'linked' 'NAP_BARE_IDLE_GO;' 0 1

# A kind of work (src/worker/source.h) is linked only into a program that uses it. $1: the
# declarations, or main(); then how often a function of each kind is linked
check_kinds()
{
	uses=$1
	shift
	printf 'void %s(void);\nvoid (*uses)(void) = %s;\n' "$uses" "$uses" >"$tmp/uses.c"
	gcc $pie -I"$to/include" -DLINKED= -DANSWER=-ENOSYS -Wl,-u,uses -o "$tmp/uses" \
		"$tmp/protocol.c" "$tmp/uses.c" -L"$to/lib" -lnap-bare >"$tmp/out" 2>&1 &&
		"$tmp/uses" >>"$tmp/out" 2>"$tmp/err" && nm "$tmp/uses" >>"$tmp/out" &&
		for kind in nap__jobs_source nap__take_class nap__sent_answer nap__ends_add nap__call_list; do
			grep -cw "[tTdDrR] $kind" "$tmp/out"
		done >"$tmp/kinds"
	echo "$*" | tr ' ' '\n' | cmp -s - "$tmp/kinds"
	check "the kinds of work of $uses()"
}

#		jobs	classes	broadcast ends	calls
check_kinds main	0 0 0 0 0
check_kinds nap_fork_slow 1 0 0 0 0
check_kinds nap_class_schedule 0 1 0 0 0
check_kinds nap_broadcast 0 0 1 0 1
check_kinds nap_pool_shutdown 0 0 0 0 0
check_kinds nap_pool_notify_end 0 0 0 1 0
