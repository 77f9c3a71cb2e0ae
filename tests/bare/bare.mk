# SPDX-License-Identifier: MIT
# With BARE=1 the same tests run without a libc, on a harness with the same macros.

# Programs that need a libc, and are not built here:
# - unit/cpus, unit/atomic_compiler: the code under test is the same without a libc
# - unit/errno, unit/fork_first, unit/join_realtime, unit/os, unit/stack: they replace functions of
#   the libc
# - unit/string: it compares nap's functions with those of the libc
# - unit/fiber_errno, unit/fiber_overflow, unit/fiber_stacks, unit/jobs_fenced, unit/until: they use
#   the libc's errno, signals, stdio, filters and files
# - unit/here: it uses FIXTURE_DATA(), which this harness lacks
# - unit/leaving, unit/cancel: they end threads by pthread_exit(), cancellation and jumps
# - stress/soak; and the programs of tests/fault/ that use a libc's processes, filters or signals
# - fault/spawns: it takes each mapping for a worker's record; without a libc the library also maps
#   stacks
NOT_HERE += unit/cpus unit/atomic_compiler unit/errno unit/fiber_errno unit/fiber_overflow unit/join_realtime unit/os unit/stack unit/string unit/symbol unit/jobs_fenced \
	unit/trace unit/trace_at_once unit/trace_file unit/trace_sections fault/trace unit/measure unit/measure_steps unit/metrics_measured unit/dump unit/dump_% fault/dump unit/leaving unit/cancel unit/fork_first unit/here unit/fiber_stacks unit/until stress/soak $(addprefix fault/,fork fork_again fork_complete fork_held fork_jobs fork_raw fork_waits futexes \
	guards limits old_epoll sandbox seccomp signals signals_open spawns stops waits_table)

BARE_TEST_CPPFLAGS := -DNAP_TEST_BARE -iquote tests/bare -I$B/tests/bare/include
# Tests have the TLS model that the library has. With another model RISC-V's linker leaves
# relocations for __thread variables that are defined in other files.
BARE_TEST_CPPFLAGS += -ftls-model=local-exec
# Makes the compiler's builtins inline, because there is no libgcc to call.
BARE_TEST_CPPFLAGS += $(if $(filter aarch64,$(ARCH)),-mno-outline-atomics)

# The headers of a libc that tests include: each of them only includes bare_libc.h.
BARE_HEADERS := $(patsubst %,$B/tests/bare/include/%.h,dirent inttypes limits pthread sched signal stdio stdlib \
	sys/wait unistd)
$(BARE_HEADERS):
	@mkdir -p $(@D)
	$(Q)echo '#include "bare_libc.h"' > $@
# Every object of a test depends on the flags.
$B/flags: | $(BARE_HEADERS)

BARE_TEST_OBJS := $(patsubst %.c,$B/%.o,$(wildcard tests/bare/*.c))
$(BARE_TEST_OBJS): $B/%.o: %.c $B/flags
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(TEST_CPPFLAGS) -fPIE -fno-builtin -c -o $@ $<

# The /init of a machine that runs nothing but the tests: tools/image/image.sh.
IMAGE_INIT_OBJS := $B/tests/image/init.o $(filter-out %/run.o,$(BARE_TEST_OBJS))
$B/tests/image/init.o: tests/image/init.c $B/flags
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(TEST_CPPFLAGS) -fPIE -fno-builtin -c -o $@ $<

$B/tests/image/init: $(IMAGE_INIT_OBJS) $B/libnap.a
	$(call say,LD,$@)
	$(Q)$(BARE_LINK) $(BARE_GC) -o $@ $^

-include $(BARE_TEST_OBJS:.o=.d) $B/tests/image/init.d
