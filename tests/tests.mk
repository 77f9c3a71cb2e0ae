# SPDX-License-Identifier: MIT
#
# Tests. Each tests/{unit,fault,stress}/NAME.c is a program on the kernel's test harness
# (tests/harness.h), built in every variant of the library; tests/compare/NAME.c are programs that
# also use liburcu, native only; tests/system/NAME.sh are scripts that print KTAP.
#
#	make check		what shows most in a short time (QUICK below); ends with the totals
#	make check-full		everything, each part in a build of its own (PARTS below)
#	make check-PART		one part of either
#	make check-tree		before a push: the scripts that look over the files, in less than a minute
#	make check-one ...	unit, fault and stress tests of the variant that the options choose
#	make programs ...	builds what check-one runs: make -k -j2 programs BARE=1 HASTY=1
#	make faults		tests/fault/ natively and with AddressSanitizer; ends with a table of faults
#	make build/tests/unit/cpus && build/tests/unit/cpus
#
# A part is a target part-PART whose test runs append to $TALLY (tools/ktap.sh). To add a part,
# write that target, name the part in PARTS, and, if it needs packages, in tools/setup.sh, by its
# name up to the first hyphen.

PARTS := native clang musl c11 debug kinds idle asan ubsan tsan yields fuzz valgrind compare pairs listing system bindings page model lab sim \
	aarch64 riscv64 bare
# Every test runs once natively. The other builds are chosen so that each compiler, machine, kind
# of queue, protocol and sanitizer is in one of them; one has forced yields. Each build runs the
# tests that show most in it. Builds cost more than the tests, so there are few builds, each with
# several options. `make check-full` has these, too, and those of MIXED_MORE, with more tests.
MIXED := clang-ring4-go-yields asan-debug-jec-kinds
MIXED_MORE := clang-c11-yields debug-ring4-go jec-kinds bare-riscv64-clang
# The parts that take longest come first, so that none of them is alone at the end.
QUICK := system-short native-short bare-short tsan-short model-short $(MIXED) lab-short aarch64-short compare \
	listing pairs

# Per program, NAME being unit/x and so on:
#	WITH-NAME	other sources linked to it, which then are no programs themselves
#	FIRST-NAME	flags put before all others (-I)
#	FLAGS-NAME	flags put after all others (-D, -U)
#	LIBS-NAME	libraries
#	SRC-NAME	the source of a variant, if it is another program's; TEST_VARIANTS names variants
#	OBJECT-NAME	the program whose object a variant is linked from
# tests/unit/debug_*.c are built with DEBUG=1 only, tests/unit/bare_*.c with BARE=1 only.
# Programs that a build leaves out. qemu-user has no filters and keeps no limits; a machine of its
# own (IMAGE=1) has both. ThreadSanitizer's own threads count for a limit, and ThreadSanitizer knows
# of fewer fibers than there are guards (nap/fiber.h). AddressSanitizer's allocator may be locked for
# ever in a child of a threaded process (gcc 12, clang 14). Both sanitizers make calls of their own
# that fault/sandbox forbids.
NOT_HERE := $(if $(filter-out 1,$(or $(IMAGE),$(if $(TOOL_PREFIX),0,1))),fault/seccomp fault/sandbox fault/old_epoll fault/limits fault/guards unit/jobs_fenced) $(if $(filter thread,$(SANITIZE)),fault/limits fault/guards) \
	$(if $(filter address,$(SANITIZE)),fault/fork% unit/call_fork unit/child unit/class_child unit/fiber_child unit/mapped) \
	$(if $(filter address thread,$(SANITIZE)),fault/sandbox)
# arch/yield and tests/race cannot be combined: each puts code before every access
NOT_HERE += $(if $(filter 1,$(YIELDS)),unit/races%)
# programs that test Sync step by step, by its word
NOT_HERE += $(if $(filter-out sync,$(IDLE)),unit/sync unit/doze unit/spin unit/wave stress/doze)
# the bare library has no waves
NOT_HERE += $(if $(filter 1,$(BARE)),unit/wave)
TEST_VARIANTS := stress/contract stress/contract_ring4 stress/shapes_late_rings
# the corpus needs a libc's files
TEST_VARIANTS += $(if $(filter 1,$(BARE)),,stress/fuzz_corpus stress/fuzz_daemon stress/fuzz_fibers stress/fuzz_mixed)

# the contract of the queues in every variant, and on a ring of 4 whose indices wrap early
SRC-stress/contract := compare/nap_queues
SRC-stress/contract_ring4 := compare/nap_queues
FLAGS-stress/contract_ring4 := -UNAP_RING_SIZE -DNAP_RING_SIZE=4 -UNAP_RING_START -DNAP_RING_START=0xfffffffeu

# pools whose rings' indices soon pass 2^32: the indices begin in src/thread/spawn.c
SRC-unit/late_rings := ../src/thread/spawn
FLAGS-unit/late_rings := -UNAP_RING_START -DNAP_RING_START=0xffffff00u
SRC-stress/shapes_late_rings := stress/shapes
FLAGS-stress/shapes_late_rings = $(FLAGS-unit/late_rings)
WITH-stress/shapes_late_rings := unit/late_rings
WITH-fault/edges := unit/late_rings
# programs that take the machine for one of 64 CPUs
WIDE := $(if $(filter 1,$(BARE)),,stress/shapes_wide stress/parallel_wide stress/forks_wide)
TEST_VARIANTS += $(WIDE)
$(foreach t,$(WIDE),$(eval OBJECT-$t := $(t:%_wide=%)))
$(foreach t,$(WIDE),$(eval WITH-$t := wide_machine))
WITH-fault/waits_table = $(WAITS_PARTS)
WAITS_PARTS := $(filter-out fault/waits_table,$(patsubst tests/%.c,%,$(wildcard tests/fault/waits_*.c)))

# fesetround()
LIBS-unit/fiber_errno := -lm
# Programs that are run again with a detector's stand-in, which checks where nap's own code begins and ends. They call
# every public function that says so, except those that unit/detected calls. The marks are the same in each build.
DETECTED := $(if $(filter 1,$(BARE) $(YIELDS) $(IMAGE))$(SANITIZE)$(TOOL_PREFIX),,$(patsubst %,unit/%_detected,after class_lend ends \
	errno fiber_child fiber_cond_with fiber_direct fiber_local fiber_pools fiber_refused fiber_start fiber_sync find finish \
	leaving measure order serial_last spawn submit trace until work work_gone))
TEST_VARIANTS += $(DETECTED)
NOT_HERE += $(if $(DETECTED),,unit/detected unit/given_kit unit/orders_%)
# defines functions of ThreadSanitizer and AddressSanitizer
NOT_HERE += $(if $(filter 1,$(BARE))$(SANITIZE)$(TOOL_PREFIX),unit/fiber_tools)
# Without a libc the stacks of threads are mapped by the same function. ThreadSanitizer does not know
# the threads that a child of a fork starts.
NOT_HERE += $(if $(filter 1,$(BARE))$(filter thread,$(SANITIZE)),unit/mapped)
$(foreach t,$(DETECTED),$(eval OBJECT-$t := $(t:%_detected=%)))
$(foreach t,$(DETECTED) unit/detected unit/given_kit unit/orders_waits unit/orders_tasks,$(eval WITH-$t := detected))

# These look at the address of the caller, which has to be on the stack yet.
$(foreach t,misuse jobs fibers blocking,$(eval FLAGS-unit/debug_$t := -fno-optimize-sibling-calls))

# with a mutex in which a notified waiter polls for ever
WITH-unit/mutex_looks := unit/patient_mutex
SRC-unit/patient_mutex := ../src/async/fiber/mutex
FLAGS-unit/patient_mutex := -UNAP_LOCK_LOOKS -DNAP_LOCK_LOOKS=0x3fffffff

WITH-unit/atomic := unit/atomic_ref
WITH-unit/string := unit/string_bare
SRC-unit/string_bare := ../src/os/bare/string
FLAGS-unit/string_bare := $(foreach f,memcpy memmove memset memcmp memchr strlen strcmp strncmp strchr strrchr \
	strstr strcspn strsep,-D$f=bare_$f) -fno-builtin $(if $(IS_CLANG),,-fno-tree-loop-distribute-patterns)
# with the rule for RISC-V's kernels, on every machine
WITH-unit/membarrier := unit/membarrier_riscv64
SRC-unit/membarrier_riscv64 := ../src/os/linux/membarrier
FLAGS-unit/membarrier_riscv64 := -UNAP_MEMBARRIER_SINCE -include arch/riscv64/membarrier.h
# with a join by the clock that an administrator may set, as on musl
WITH-unit/join_realtime := unit/workers_realtime
SRC-unit/workers_realtime := ../src/thread/hosted/workers
FLAGS-unit/workers_realtime := -UJOIN_BY_CLOCK -DJOIN_BY_CLOCK=0
# links a part of the demo
WITH-unit/demo_sha1 := unit/sha1
SRC-unit/sha1 := ../tools/works/sha1

WITH-stress/soak = $(SOAK_PARTS) $(WAITS_PARTS)
WITH-soak/main = $(SOAK_PARTS) soak/options $(WAITS_PARTS)

SRC-stress/fuzz_corpus := fuzz/replay
WITH-stress/fuzz_corpus = fuzz/api $(FUZZ_PARTS)
WITH-fuzz/api = $(FUZZ_PARTS)
LIBS-fuzz/api = -fsanitize=fuzzer
SRC-stress/fuzz_daemon := fuzz/replay
FLAGS-stress/fuzz_daemon := -DCORPUS='"tests/fuzz/daemon/corpus.txt"'
WITH-stress/fuzz_daemon = fuzz/daemon/main fuzz/seam $(DAEMON_PARTS)
WITH-fuzz/daemon/main = fuzz/seam $(DAEMON_PARTS)
LIBS-fuzz/daemon/main = -fsanitize=fuzzer
SRC-stress/fuzz_fibers := fuzz/replay
FLAGS-stress/fuzz_fibers := -DCORPUS='"tests/fuzz/fibers/corpus.txt"'
WITH-stress/fuzz_fibers = fuzz/fibers/main fuzz/seam
WITH-fuzz/fibers/main = fuzz/seam
LIBS-fuzz/fibers/main = -fsanitize=fuzzer
SRC-stress/fuzz_mixed := fuzz/replay
FLAGS-stress/fuzz_mixed := -DCORPUS='"tests/fuzz/mixed/corpus.txt"'
WITH-stress/fuzz_mixed = fuzz/mixed/main fuzz/seam $(MIXED_PARTS)
WITH-fuzz/mixed/main = fuzz/seam $(MIXED_PARTS)
LIBS-fuzz/mixed/main = -fsanitize=fuzzer

FIRST-unit/atomic_ref := -Iarch/c11
FIRST-unit/races := -Itests/race
FIRST-unit/races_channel := -Itests/race
FIRST-unit/races_fiber := -Itests/race
FIRST-unit/races_group := -Itests/race
FIRST-unit/races_quiesce := -Itests/race
FIRST-unit/races_sync := -Itests/race
FIRST-unit/races_wait := -Itests/race
FIRST-unit/races_worker := -Itests/race

TEST_FILES := $(patsubst tests/%.c,%,$(wildcard tests/unit/*.c tests/fault/*.c tests/stress/*.c))
SOAK_FILES := $(patsubst tests/%.c,%,$(wildcard tests/soak/*.c))
SOAK_PARTS := $(filter-out soak/main soak/options,$(SOAK_FILES))
FUZZ_FILES := $(patsubst tests/%.c,%,$(wildcard tests/fuzz/*.c tests/fuzz/daemon/*.c tests/fuzz/fibers/*.c tests/fuzz/mixed/*.c))
DAEMON_PARTS := $(filter-out %/main,$(filter fuzz/daemon/%,$(FUZZ_FILES)))
MIXED_PARTS := $(filter-out %/main,$(filter fuzz/mixed/%,$(FUZZ_FILES)))
FUZZ_PARTS := $(filter-out fuzz/api fuzz/replay fuzz/daemon/% fuzz/fibers/% fuzz/mixed/%,$(FUZZ_FILES))
COMPARE_FILES := $(patsubst tests/%.c,%,$(wildcard tests/compare/*.c))
SYSTEM_FILES := $(patsubst tests/%.c,%,$(wildcard tests/system/*.c))
# the first two belong to the part bare, the third to the parts of other machines
SYSTEM_SCRIPTS := $(filter-out %/bare.sh %/appliance.sh %/gdb_emulated.sh,$(wildcard tests/system/*.sh))
TEST_OBJS := $(TEST_FILES) unit/string_bare unit/sha1 unit/late_rings wide_machine detected unit/patient_mutex unit/membarrier_riscv64 unit/workers_realtime $(SOAK_FILES) $(FUZZ_FILES) $(COMPARE_FILES) $(SYSTEM_FILES) $(TEST_VARIANTS)
ifeq ($(BARE),1)
include tests/bare/bare.mk
else
NOT_HERE += unit/bare_%
endif

TESTS := $(filter-out $(foreach t,$(TEST_FILES),$(WITH-$t)) $(if $(filter 1,$(DEBUG)),,unit/debug_%) \
	$(NOT_HERE) $(WITHOUT), $(TEST_FILES)) $(filter-out $(WITHOUT),$(TEST_VARIANTS))
COMPARE := $(filter-out $(foreach t,$(COMPARE_FILES),$(WITH-$t)),$(COMPARE_FILES))

$(foreach t,$(COMPARE_FILES),$(eval FLAGS-$t += $$(URCU_CFLAGS)) $(eval LIBS-$t += $$(URCU_LIBS)))
URCU_CFLAGS = $(shell pkg-config --cflags liburcu liburcu-cds)
URCU_LIBS = $(shell pkg-config --libs liburcu liburcu-cds)

# Roughly how much slower tests run than natively; time bounds and repetitions take it into account.
SLOW := $(or $(if $(TOOL_PREFIX)$(filter 1,$(IMAGE)),10),$(if $(filter thread,$(SANITIZE)),10),$(if $(filter address fuzz,$(SANITIZE)),3), \
	$(if $(filter 1,$(YIELDS)),10))
# HASTY=1: tests repeat a third as often. The programs in build/ itself (VARIANT is empty) are also
# run by parts that are not hasty, so for them part-native-short sets NAP_TEST_SCALE at run time.
HASTY_SCALE-10 := 30
HASTY_SCALE-3 := 9
HASTY_SCALE- := $(if $(VARIANT),3)
TEST_SCALE ?= $(or $(if $(filter 1,$(HASTY)),$(HASTY_SCALE-$(SLOW))),$(SLOW),1)
# HARNESS=tests/plain: the tests' own harness, as where the kernel's cannot be had.
HARNESS := build/kselftest
TEST_CPPFLAGS := -iquote tests -I$(HARNESS) -DNAP_TEST_SCALE=$(TEST_SCALE) $(if $(SLOW),-DNAP_TEST_SLOW) \
	$(if $(filter 1,$(IMAGE)),,$(if $(TOOL_PREFIX),-DNAP_TEST_EMULATED)) $(BARE_TEST_CPPFLAGS) $(KERNEL_HEADERS)
# ThreadSanitizer supports only fixed ranges of addresses. The address randomisation of new
# kernels puts memory outside of these.
TEST_RUN := $(RUN) $(if $(filter thread,$(SANITIZE)),$(shell setarch -R true 2>/dev/null && echo setarch -R))
# qemu-user translates what a child runs for the first time, and takes memory for the translation
# from glib. At the fork another thread may have locked glib's slices: then the child waits for
# ever. With malloc(), which is not locked, the child does not wait.
TEST_ENV := $(if $(TOOL_PREFIX),G_SLICE=always-malloc) ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=die_after_fork=0
VALGRIND := valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect \
	--fair-sched=yes
VALGRIND_ENV := NAP_TEST_SLOW=1 NAP_TEST_SCALE=50

KSELFTEST := $(HARNESS)/kselftest_harness.h
build/kselftest/kselftest_harness.h:
	@tools/setup.sh --only kselftest

# HASTY=1: programs that only call the library, or run on one thread (unit/races%), are compiled
# without optimisation, which takes a third of the time. The library is optimised, and so are
# programs that contain its queues, its atomics or its sources. Only the library of build/
# itself, and what a sanitizer reads, have debug information.
NOT_HASTY := unit/debug_jobs unit/atomic% stress/contract% compare/% unit/queues unit/ring unit/deque system/%
HASTY_FLAGS := $(if $(filter 1,$(HASTY)),-O0 $(if $(SANITIZE),-g1,-g0))

# If a program defines __wrap_NAME (tests/wrap.h), the linker redirects calls of NAME to it. Only
# for programs that include that header are symbols listed. With -flto the linker does not see calls
# inside a program, so such a program is linked with -fno-lto. Only nm(1) reads what was compiled
# with -flto. Otherwise readelf(1) lists the symbols: nm(1) loads the plugins of every installed
# compiler, which takes longer than linking.
SYMBOLS = $(TOOL_PREFIX)$(if $(filter -flto%,$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS)),nm,readelf -sW)
wraps = $(if $(findstring tests/wrap.h,$(foreach t,$1,$(file <$B/tests/$t.d))),-fno-lto $$($(SYMBOLS) $(1:%=$B/tests/%.o) | \
	sed -n 's/.* \([TW]\|FUNC  *\(GLOBAL\|WEAK\) .*\) __wrap_/-Wl,--wrap=/p'))

# HASTY=1: programs have no debug information of libraries, except in build/ itself, and in builds
# with a sanitizer, which reads this information.
HASTY_LINK := $(if $(filter 1,$(HASTY)),$(if $(VARIANT),$(if $(SANITIZE),,-Wl,-S)))
# HASTY=1: gold links a program in two thirds of the time, where binutils has it. A program without a
# libc keeps the linker that its own flags are for; gold for AArch64 fails on some programs (binutils 2.40,
# "internal error in update_erratum_insn").
ifeq ($(filter 1,$(HASTY))-$(filter 1,$(BARE) $(IMAGE))$(TOOL_PREFIX)-$(filter -flto%,$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS)),1--)
HASTY_LINK += $(shell command -v ld.gold >/dev/null && echo -fuse-ld=gold)
endif

define test_program
$B/tests/$1.o: tests/$(or $(SRC-$1),$1).c $B/flags $B/tests/flags tests/tests.mk | $(KSELFTEST)
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $(FIRST-$1) $$(NAP_CPPFLAGS) $$(TEST_CPPFLAGS) $$(CPPFLAGS) $$(NAP_CFLAGS) $$(CFLAGS) \
		$(if $(filter $(NOT_HASTY),$1)$(filter ../src/%,$(SRC-$1)),,$(HASTY_FLAGS)) -MMD -MP $$(FLAGS-$1) -c -o $$@ $$<

$B/tests/$1: $B/tests/$(or $(OBJECT-$1),$1).o $(WITH-$1:%=$B/tests/%.o) $(BARE_TEST_OBJS) $(COVER_EXIT) $B/libnap.a
	$$(call say,LD,$$@)
	$$(Q)$$(if $$(BARE_OBJS),$$(BARE_LINK),$$(LINK)) -o $$@ $$^ $$(HASTY_LINK) $$(call wraps,$(or $(OBJECT-$1),$1) $(WITH-$1)) \
		$$(LIBS-$1) $(COVER_LINK)
endef
$(foreach t,$(TEST_OBJS),$(eval $(call test_program,$t)))

-include $(TEST_OBJS:%=$B/tests/%.d)

$B/tests/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(HASTY_FLAGS)' | cmp -s - $@ || echo '$(HASTY_FLAGS)' > $@

# Marks what this run has built, because a program that can no longer be built may have an old
# file here.
$B/tests/%.built: $B/tests/%
	@touch $@

LABEL := $(or $(subst $(space),-,$(VARIANT)),native)
NO_PRINT := --no-print-directory
JOBS = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

# $(call run_programs,LABEL,PROGRAMS,SUFFIX OF THE LOG,COMMAND BEFORE THE PROGRAM)
define run_programs
	@mkdir -p $B/tests && rm -f $(2:%=$B/tests/%.built)
	+@tools/cpu.sh '$1: what is built' $(MAKE) $(NO_PRINT) -k $(JOBS) $(2:%=$B/tests/%.built) \
		> $B/tests/build-$@.log 2>&1 || \
		{ echo '$1: not everything could be built:'; grep -E 'error|Error|warning:|undefined' \
		$B/tests/build-$@.log | head -n 20; echo '    (all of it: $B/tests/build-$@.log)'; }
	@for t in $2; do \
		if [ -e $B/tests/$$t.built ]; then \
			$(TEST_ENV) tools/ktap.sh "$1 $$t" $B/tests/$$t$3.log $4 $B/tests/$$t || exit 1; \
		else \
			tools/ktap.sh "$1 $$t" $B/tests/$$t$3.log printf '1..1\nnot ok 1 was not built\n' || exit 1; \
		fi; \
	done
endef

ALL_PARTS := $(sort $(PARTS) $(QUICK) $(MIXED) $(MIXED_MORE) tree)
.PHONY: check check-full check-one $(ALL_PARTS:%=check-%) part-one $(ALL_PARTS:%=part-%)
check:
	+@MAKE='$(MAKE) WERROR=1 HASTY=1' exec tools/check.sh $(QUICK)
check-full:
	+@MAKE='$(MAKE) WERROR=1' exec tools/check.sh $(PARTS) $(MIXED) $(MIXED_MORE)
check-one $(ALL_PARTS:%=check-%): check-%:
	+@MAKE='$(MAKE) WERROR=1 $(if $(filter %-short $(MIXED) $(MIXED_MORE),$*),HASTY=1)' exec tools/check.sh $*

# Files that more than one part uses are made before any part begins: tools/check.sh.
SHARED = $B/libnap.a $B/libnap.so.1 $B/tests/system/noclone_main $B/tests/system/trace_tool $M/nap-check build/nap-litmus build/nap-trace build/nap-pairs $(BRUTE)
.PHONY: shared
shared:
	+@$(MAKE) $(NO_PRINT) -k $(JOBS) $(SHARED)

part-one:
	$(call run_programs,$(LABEL),$(TESTS),,$(TEST_RUN))
part-native part-native-short:
	+@$(if $(filter %-short,$@),NAP_TEST_SCALE=3 )$(MAKE) $(NO_PRINT) part-one
part-clang:
	+@$(MAKE) $(NO_PRINT) part-one CC=clang
# Also runs the scripts that test what was built with musl; tests/system/musl.sh belongs to the
# part system.
part-musl:
	+@$(MAKE) $(NO_PRINT) part-one CC=musl-gcc
	+@$(MAKE) $(NO_PRINT) part-system CC=musl-gcc SYSTEM_SCRIPTS='$(foreach t,demo idle jobs nproc,tests/system/$t.sh)'
# Which builds try the faults: in `make check` the native one; in `make check-full` also DEBUG=1 RING=4,
# part-asan and part-tsan on the compiler's builtins, and part-kinds on another ring.
NO_FAULTS := WITHOUT=fault/%
part-c11:
	+@$(MAKE) $(NO_PRINT) part-one ATOMICS=c11 $(NO_FAULTS)
part-debug:
	+@$(MAKE) $(NO_PRINT) part-one DEBUG=1
part-kinds:
	+@$(MAKE) $(NO_PRINT) part-one INJECT=treiber_fifo $(NO_FAULTS)
	+@$(MAKE) $(NO_PRINT) part-one OVERFLOW=vyukov $(NO_FAULTS)
	+@$(MAKE) $(NO_PRINT) part-one RING=4
# Programs that have no pool, that have a pool of each protocol, or that are about one protocol.
NOT_IDLE := unit/atomic% unit/cpus unit/deque unit/event unit/gate unit/lock unit/membarrier unit/os unit/queues unit/ring unit/search \
	unit/stack unit/string unit/doze unit/spin $(IDLES:%=unit/%) unit/jec_yields unit/wave unit/idle unit/call% stress/contract% stress/call stress/doze
IDLE_TESTS := WITHOUT='$(NOT_IDLE)'
part-idle:
	+@$(foreach i,$(filter-out sync,$(IDLES)),$(MAKE) $(NO_PRINT) part-one IDLE=$i $(IDLE_TESTS) &&) :
part-asan:
	+@$(MAKE) $(NO_PRINT) part-one ATOMICS=c11 SANITIZE=address
part-ubsan:
	+@$(MAKE) $(NO_PRINT) part-one SANITIZE=undefined
part-tsan:
	+@$(MAKE) $(NO_PRINT) part-one SANITIZE=thread
# Each program says how often it was made to yield, and from which seed (arch/yield/yield.c). A
# program that never yielded has shown nothing. Left out are programs in which no pool runs, and no
# queue that several threads use.
YIELDS_TESTS = $(filter-out fault/old_epoll unit/atomic% unit/context unit/cpus unit/demo_sha1 unit/dump_fibers unit/dump_queues unit/dump_text \
	unit/dump_waits unit/dump_workers unit/measure_steps unit/os unit/stack unit/string unit/symbol unit/timer_heap unit/trace_rings,$(TESTS))
part-yields:
	+@$(MAKE) $(NO_PRINT) part-one-yields YIELDS=1
YIELDS_COUNT := /^\# YIELDS/ { yields += $$3; places += $$9; of += $$11; programs += $$3 + 0 > 0 } \
	/^\# YIELDS 0,/ { never = never "\# never: " FILENAME "\n" } \
	END { printf "1..1\n%sok 1\n%s", programs == ARGC - 1 ? "" : "not ", never; \
		printf "\# %d yields in %d of %d programs, at %d of the %d places that they came by\n", \
			yields, programs, ARGC - 1, places, of }
.PHONY: part-one-yields
part-one-yields:
	$(call run_programs,$(LABEL),$(TESTS),,$(TEST_RUN))
	@tools/ktap.sh '$(LABEL) were forced' $B/tests/yields.log awk '$(YIELDS_COUNT)' $(YIELDS_TESTS:%=$B/tests/%.log)
	@sed -n 's/^# /    /p' $B/tests/yields.log
part-aarch64:
	+@$(MAKE) $(NO_PRINT) part-one ARCH=aarch64
	+@$(MAKE) $(NO_PRINT) part-one ARCH=aarch64 LSE=1
	+@$(MAKE) $(NO_PRINT) part-gdb ARCH=aarch64
part-riscv64:
	+@$(MAKE) $(NO_PRINT) part-one ARCH=riscv64
	+@$(MAKE) $(NO_PRINT) part-gdb ARCH=riscv64
.PHONY: part-gdb
part-gdb: $B/tests/system/gdb_stuck
	@NAP_BUILD=$B tools/ktap.sh '$(LABEL) gdb' $B/tests/system/gdb.log sh tests/system/gdb_emulated.sh $(ARCH)

# The scripts that test the bare build as a whole.
define bare_scripts
	@tools/ktap.sh 'bare nap-hello' $B/tests/system/bare.log sh tests/system/bare.sh
	+@MAKE='$(MAKE)' tools/ktap.sh 'bare appliance' $B/tests/system/appliance.log sh tests/system/appliance.sh
	+@MAKE='$(MAKE)' tools/ktap.sh 'bare appliance, alone' $B/tests/system/appliance-alone.log \
		sh tests/system/appliance.sh alone
	@NAP_BUILD=build/bare tools/ktap.sh 'bare floors' $B/tests/system/bare-floors.log sh tests/system/floors.sh
endef

# ---- the builds of `make check`
#
# What a build leaves out runs in the native build, and in a part of `make check-full`. The
# reasons are in testing.rst, section "What make check leaves out".

# Programs that try each idle protocol by themselves (tests/under.h), so they do the same in every
# build.
OWN_IDLE := $(patsubst tests/%.c,%,$(shell grep -lE '"(under|limit_fixture)\.h"' tests/unit/*.c))
# Loops, sorts and sums: code that calls forks.
COMPUTES := unit/sort unit/sort_define unit/sort_turns unit/chunks unit/for unit/find unit/reduce unit/demo_sha1
# Programs that test the atomic operations alone. The parts tsan and clang run them on the
# compilers' operations, the native part on this machine's.
ATOMICS_ALONE := unit/atomic unit/atomic_compiler unit/atomic_hammer
# One thread, which runs the steps of another thread between its own.
ONE_THREAD := unit/races% unit/lock
# Programs about the machine: its CPUs, its policies, its libc's stacks.
MACHINE := unit/cpus unit/one_cpu unit/join_for unit/memory_policy unit/inherit_sched unit/stack unit/os unit/errno \
	unit/join_realtime
# Programs that test kits on pools, tasks, forks and fibers, and what these count, refuse or
# inherit. Other programs test the words to sleep on, the queues and the stacks that these kits use.
ABOVE := unit/class% unit/serial% unit/order unit/submit% unit/work unit/work_gone unit/after unit/complete unit/due \
	unit/timer% unit/io unit/until unit/cancel unit/leaving unit/finish unit/ending unit/broadcast unit/join_visitors \
	unit/group_other unit/retry unit/watch unit/retire unit/deep unit/fiber_ends unit/fiber_freed unit/fiber_select \
	unit/fiber_cond_with
# Other programs about kits, in which no memory order is at stake.
NO_ORDERS := unit/metrics unit/limit unit/new unit/remaining unit/nesting unit/loop_ranges unit/job_types \
	unit/jobs_nested unit/fiber_many unit/fiber_overflow unit/fiber_refused unit/fiber_scope unit/fiber_budget \
	unit/fiber_child unit/class_child unit/child unit/call_% unit/here unit/no_clock unit/slow_start unit/search \
	unit/stuck unit/fiber_local unit/local unit/string
# Programs about which worker is woken, and when: nothing is freed there.
WAKES := unit/broadcast unit/doze unit/event unit/gate unit/go unit/idle unit/jec unit/jec_yields unit/spin unit/sync unit/wave \
	unit/search unit/stuck unit/retry unit/slow_start unit/watch unit/no_clock unit/no_worker unit/fair \
	unit/mutex_looks unit/inherit unit/nesting unit/metrics stress/doze stress/starves stress/lost_wakeup

# Programs in which hardly two threads touch the same words at once.
APART_THREADS := unit/context unit/aligned unit/guard unit/membarrier unit/fork_first unit/foreign unit/inherit \
	unit/fiber_errno
# The programs of ABOVE that the build for ThreadSanitizer has: an end races with a beginning in them. With the same
# sanitizer tests/system/detector.sh shows that the kits keep their promises of order.
RACING := unit/class unit/serial unit/complete unit/cancel unit/timer_cancel unit/work_gone unit/retire unit/fiber_select \
	unit/fiber_cond_with
TSAN_SHORT := $(ONE_THREAD) $(MACHINE) $(filter-out unit/for unit/reduce,$(COMPUTES)) $(filter-out $(RACING),$(ABOVE)) \
	$(filter-out unit/call_%,$(NO_ORDERS)) $(APART_THREADS) stress/fuzz_% fault/%
# What `make check` also leaves out of the build for ThreadSanitizer: the atomic operations alone,
# which the build with yields has; and programs that do the same as another program of this build,
# with another number of threads, ring or protocol.
TSAN_SHORTER := $(ATOMICS_ALONE) unit/call_crowd unit/call_outer unit/fair unit/for unit/idle unit/jec_yields unit/measure unit/mutex_looks \
	unit/fiber_direct unit/trace_at_once stress/contract_ring4 stress/doze stress/forks_wide stress/parallel_wide stress/shapes_late_rings
ASAN_SHORT := $(ONE_THREAD) $(MACHINE) $(ATOMICS_ALONE) $(WAKES) $(filter-out unit/sort,$(COMPUTES)) stress/soak fault/%
# What `make check` also leaves out of the build with AddressSanitizer: programs about kits that
# count, refuse or inherit, and keep no memory; programs whose memory is static, or on the stacks of
# threads; and, of programs that differ only in the number of workers, all except one.
ASAN_SHORTER := unit/limit unit/remaining unit/loop_ranges unit/job_types unit/jobs_nested unit/fiber_budget unit/fiber_errno \
	unit/fiber_direct unit/fiber_refused unit/call_crowd unit/call_outer unit/order unit/until unit/group_other unit/join_visitors \
	unit/serial_class unit/serial_joins unit/serial_fork unit/serial_turns unit/class_turns unit/class_lend unit/timer_periods unit/due \
	unit/jobs_fenced unit/membarrier unit/fork_first unit/foreign unit/trace_at_once unit/blocking unit/call unit/context unit/deep unit/deque \
	unit/ending unit/ends unit/fiber_cond_with unit/fiber_local unit/fiber_overflow unit/fiber_pools unit/fiber_sync unit/guard unit/here \
	unit/local unit/measure unit/new unit/queues unit/ring unit/sort unit/string unit/submit_wait unit/timer_heap stress/call stress/contract \
	stress/contract_ring4 stress/forks stress/parallel stress/shapes_late_rings stress/parallel_wide stress/shapes_wide
# Programs that use what the machine has: instructions, stacks, the order of arguments, system calls and their
# structures. The others are the same code on each machine.
ON_MACHINE := unit/atomic unit/atomic_compiler unit/atomic_hammer unit/context unit/fiber unit/fiber_stacks unit/fiber_start \
	unit/fiber_sync unit/fiber_errno unit/guard unit/aligned unit/membarrier unit/deque unit/queues unit/ring unit/event \
	unit/spawn unit/pool unit/join unit/fork unit/jobs unit/call unit/foreign unit/producer unit/group unit/io unit/leaving \
	unit/trace_file unit/bare_% stress/call stress/contract stress/forks stress/shapes stress/lost_wakeup
EMULATED_SHORT := $(filter-out $(ON_MACHINE),$(TEST_FILES) $(TEST_VARIANTS))
# A program without a libc has other threads, forks, clocks, memory and thread-local words: tests of
# these run here. This list has the programs that are left out.
BARE_SHORT := $(ONE_THREAD) $(ATOMICS_ALONE) $(OWN_IDLE) $(COMPUTES) $(ABOVE) \
	$(filter-out unit/call_fork unit/%child unit/%local unit/no_clock unit/fiber_overflow unit/string,$(NO_ORDERS)) \
	unit/deque unit/queues unit/ring unit/gate unit/mutex_looks unit/fiber_channel unit/fiber_direct unit/fiber_mutex \
	unit/fiber_pools stress/contract% stress/starves
YIELDS_SHORT := $(MACHINE) $(COMPUTES) $(ABOVE) $(NO_ORDERS) unit/atomic_hammer stress/fuzz_corpus fault/%

# unit/idle tests that the first protocol is the default.
part-clang-ring4-go-yields:
	+@$(MAKE) $(NO_PRINT) part-one-yields $(CLANG_YIELDS) RING=4 IDLE=go \
		WITHOUT='$(YIELDS_SHORT) unit/idle $(if $(filter 1,$(HASTY)),stress/soak)'
CLANG_YIELDS := HASTY=1 BY_ROOM=1 CC=clang ATOMICS=c11 YIELDS=1
# DEBUG=1 switches off the short path of forks and joins, which the build with yields has to test.
# So DEBUG=1 is in this build.
part-asan-debug-jec-kinds:
	+@$(MAKE) $(NO_PRINT) part-one HASTY=1 BY_ROOM=1 ATOMICS=c11 SANITIZE=address DEBUG=1 $(JEC_KINDS) \
		WITHOUT='$(ASAN_SHORT) $(if $(filter 1,$(HASTY)),$(ASAN_SHORTER))'
JEC_KINDS := IDLE=jec INJECT=treiber_fifo OVERFLOW=vyukov
part-tsan-short:
	+@$(MAKE) $(NO_PRINT) part-one HASTY=1 BY_ROOM=1 SANITIZE=thread WITHOUT='$(TSAN_SHORT) $(TSAN_SHORTER)'
part-aarch64-short:
	+@$(MAKE) $(NO_PRINT) part-one HASTY=1 BY_ROOM=1 ARCH=aarch64 WITHOUT='$(EMULATED_SHORT) unit/io'
part-bare-short:
	+@$(MAKE) $(NO_PRINT) HASTY=1 bare
	+@$(MAKE) $(NO_PRINT) part-one HASTY=1 BARE=1 WITHOUT='$(BARE_SHORT)'
	+@$(MAKE) $(NO_PRINT) part-one HASTY=1 BARE=1 ARCH=riscv64 WITHOUT='$(EMULATED_SHORT)'
	$(bare_scripts)

# For `make check-full`: the options of `make check` in more builds. The bare build leaves out
# ONE_THREAD, because clang -O0 keeps functions that nothing calls, and these functions need folders
# of src/ that a bare library lacks.
part-clang-c11-yields:
	+@$(MAKE) $(NO_PRINT) part-one-yields $(CLANG_YIELDS) WITHOUT=fault/%
part-debug-ring4-go:
	+@$(MAKE) $(NO_PRINT) part-one HASTY=1 DEBUG=1 RING=4 IDLE=go WITHOUT=unit/idle
part-jec-kinds:
	+@$(MAKE) $(NO_PRINT) part-one HASTY=1 $(JEC_KINDS) WITHOUT='$(NOT_IDLE) fault/%'
part-bare-riscv64-clang:
	+@$(MAKE) $(NO_PRINT) part-one HASTY=1 BARE=1 CC=clang ARCH=riscv64 WITHOUT='$(ONE_THREAD)'

# ---- the other parts

part-bare:
	+@$(MAKE) $(NO_PRINT) bare
	+@$(MAKE) $(NO_PRINT) part-one BARE=1
	+@$(MAKE) $(NO_PRINT) part-one BARE=1 CC=clang
	+@$(MAKE) $(NO_PRINT) part-one BARE=1 ARCH=aarch64
	+@$(MAKE) $(NO_PRINT) part-one BARE=1 ARCH=riscv64
	$(bare_scripts)

# The fault campaign; also part of `make check`, like every program in tests/fault/.
FAULTS := $(filter fault/%,$(TESTS))
.PHONY: faults part-faults
faults:
	+@MAKE='$(MAKE)' tools/faults.sh
part-faults:
	$(call run_programs,$(LABEL),$(FAULTS),,$(TEST_RUN))
	@printf '%s\n' $(FAULTS:%=$B/tests/%.log) > $(or $(FAULT_LOGS),/dev/null)

# valgrind's processor does not go on where an access has trapped, and unit/guard has the kernel
# read a page that no access may touch.
part-valgrind:
	$(call run_programs,valgrind,$(filter-out unit/atomic_compiler unit/guard,$(filter unit/%,$(TESTS))),.valgrind,$(VALGRIND_ENV) $(VALGRIND))

part-compare:
	$(call run_programs,$(LABEL),$(COMPARE),,$(TEST_RUN))

part-pairs:
	@tools/ktap.sh 'pairs self-test' $B/tests/pairs-self-test.log tools/pairs.sh --self-test
	@tools/ktap.sh 'pairs src' $B/tests/pairs.log tools/pairs.sh

# The pages of nap-trace and of nap-litmus, in a browser.
part-page: build/nap-trace $B/tests/system/trace_tool build/nap-litmus page
	@mkdir -p build/trace
	@tools/ktap.sh 'page timeline' build/trace/timeline.log sh tests/page/timeline.sh
	@tools/ktap.sh 'page litmus' build/page/litmus.log sh tests/page/litmus.sh

# Builds what the scripts need. They find the programs of tests/system/*.c, and the library, in
# the directory NAP_BUILD.
.PHONY: system-programs print-tests print-assembly
system-programs: all $(if $(SYSTEM_FILES),$B/nap-demo) $(SYSTEM_FILES:%=$B/tests/%)
part-system:
	@mkdir -p $B/tests
	+@tools/cpu.sh 'system: what is built' $(MAKE) $(NO_PRINT) -k $(JOBS) system-programs > $B/tests/build-system.log 2>&1 || \
		{ echo 'system: not everything could be built:'; tail -n 20 $B/tests/build-system.log; exit 1; }
	@for t in $(basename $(notdir $(SYSTEM_SCRIPTS))); do \
		case ' $(LONG_SCRIPTS) ' in *" $$t "*) limit=1800 ;; *) limit=$$NAP_TEST_TIMEOUT ;; esac; \
		NAP_TEST_TIMEOUT=$$limit NAP_BUILD=$B tools/ktap.sh "$(strip $(IS_MUSL) system $$t)" $B/tests/system/$$t.log sh tests/system/$$t.sh || exit 1; \
	done

# Left out are the tests of a command of nap-demo, of fibers in gdb, of a page of questions, and of traces that are cut;
# of three tools that `make check` does not use, of the benchmarks, of traces of whole programs,
# of the programs of tools/example/symptoms/, of valgrind's detectors, of
# another libc and other compilers, of each target in a clone, of installations and packages, of MPI, and of
# hashd with sanitizers. The test of hashd has only its first few faults, and NAP_SHORT=1 tells scripts to
# leave out what their heads say.
LONG_SCRIPTS := demo_forks gdb questions trace_cut targets install uninstall deb mutate_random mutants coverage hashd_sanitized detector_valgrind musl toolchains html \
	packages fresh mpi bench trace_programs symptoms
part-system-short:
	+@NAP_SHORT=1 HASHD_FAULTS=3 $(MAKE) $(NO_PRINT) part-system \
		SYSTEM_SCRIPTS='$(filter-out $(LONG_SCRIPTS:%=tests/system/%.sh),$(SYSTEM_SCRIPTS))'

# Scripts that test that files fit together; they belong to the part system, too.
TREE_SCRIPTS := abi changing config errno exports floors language man mutants_apply version
part-tree:
	+@$(MAKE) $(NO_PRINT) part-pairs
	+@$(MAKE) $(NO_PRINT) part-system SYSTEM_FILES= SYSTEM_SCRIPTS='$(TREE_SCRIPTS:%=tests/system/%.sh)'

# If there is no compiler for a language, the test of its binding says so.
part-bindings: all
	@for t in $(basename $(notdir $(wildcard tests/bindings/*.sh))); do \
		NAP_BUILD=$B tools/ktap.sh "bindings $$t" $B/tests/bindings/$$t.log sh tests/bindings/$$t.sh || exit 1; \
	done

.PHONY: programs
programs: $(TESTS:%=$B/tests/%)
print-tests:
	@echo $(TESTS)
print-assembly:
	@echo $(ARCH_OBJS)

# Runs one script, with the library as it is now, and prints its KTAP.
.PHONY: $(SYSTEM_SCRIPTS:tests/system/%.sh=ktap-%)
$(SYSTEM_SCRIPTS:tests/system/%.sh=ktap-%): ktap-%: all
	@NAP_BUILD=$B sh tests/system/$*.sh

include tests/soak/soak.mk
include tests/fuzz/fuzz.mk
-include tools/listing/listing.mk
