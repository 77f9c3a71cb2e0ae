# SPDX-License-Identifier: MIT
#
# The model checker (tools/check/) and its scenarios (tests/model/).
#
#	make model		every scenario, as gcc and as clang build it; a line each, then the totals
#	make model-one ...	the programs ONLY="ring sync" (all) as MODEL_CC=gcc|clang builds them,
#				with OPTIONS="--exhaustive ..."
#	make mutate ...		weaken every ordered access of src/ by a step, see what notices; those
#				that match MUTATE=regex only, with the programs ONLY="ring sync" (all)
#	make check-model	make model, and the tests of the checker itself; a part of `make check-full`
#	make check-model-short	what `make check` does of it
#	make ktap-verdicts ...	nap-check's verdicts on the texts TEXTS="awaits locks" (all) of verdicts/
#	make build/model/gcc/ring && build/model/gcc/ring --list
#
# Every tests/model/NAME.c that registers scenarios is a program. It is linked with src/, compiled
# as it is except for the instrumentation, and with seam.c in place of src/os/hosted, src/os/linux
# and src/os/futex.c.

M := $(OUT)/model
MODEL_CC ?= gcc
MODEL_CCS := gcc clang

# Two libraries: nap-check's is for 16 threads. The scenarios here have 8 threads at most, and
# with vector clocks of half the length they take a tenth less time. With HASTY=1 the scenarios use
# nap-check's library, because building the other one takes longer than it saves.
CHECK_LIB := $M/libnapcheck.so
MODEL_LIB := $(if $(filter 1,$(HASTY)),$(CHECK_LIB),$M/libnapcheck8.so)
MODEL_THREADS := $(if $(filter 1,$(HASTY)),,-DCHECK_THREADS=8)
# Floors: a folder uses those before it. tests/model/floors.sh checks that.
CHECK_FLOORS := graph model explore program report main
# Only tools/litmus uses matrix.c.
CHECK_SRCS := $(filter-out %/matrix.c,$(wildcard $(CHECK_FLOORS:%=tools/check/%/*.c)))
# tools/picture/ draws counterexamples. nap-litmus uses it, too.
CHECK_OBJS := $(CHECK_SRCS:tools/check/%.c=$M/check/%.o) $M/check/context.o \
	$(patsubst tools/%.c,$M/check/%.o,$(wildcard tools/picture/*.c))
MODEL_OBJS := $(CHECK_OBJS:$M/check/%=$M/check8/%)
# Optimised across files, because accesses go through many small functions. Only gcc-nm reads the symbols
# of these objects.
CHECK_FAST := -O3 -flto=auto
CHECK_CC := gcc $(TOOL_CFLAGS) $(CHECK_FAST) $(TOOL_DEBUG) -std=gnu11 -fno-strict-aliasing $(WARN) -fPIC -fvisibility=hidden -D_GNU_SOURCE -Iinclude \
	-iquote tools/check -iquote tools -Iarch/$(HOST_ARCH) -MMD -MP
$(MODEL_OBJS): CHECK_CC += -DCHECK_THREADS=8
# Exceptions of C++ pass through once.c, which cleans up.
$M/check/program/once.o $M/check8/program/once.o: CHECK_CC += -fexceptions

define check_objects
$M/$1/%.o: tools/check/%.c tests/model/model.mk
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CHECK_CC) -c -o $$@ $$<

$M/$1/picture/%.o: tools/picture/%.c tests/model/model.mk
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CHECK_CC) -c -o $$@ $$<

$M/$1/context.o: arch/$(HOST_ARCH)/context.S $(wildcard arch/$(HOST_ARCH)/marks.h) tests/model/model.mk
	$$(call say,AS,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CHECK_CC) -c -o $$@ $$<
endef
$(foreach d,check check8,$(eval $(call check_objects,$d)))

$M/libnapcheck.so: $(CHECK_OBJS)
$M/libnapcheck8.so: $(MODEL_OBJS)
$M/libnapcheck.so $M/libnapcheck8.so:
	$(call say,LD,$@)
	$(Q)gcc $(TOOL_CFLAGS) $(CHECK_FAST) $(TOOL_LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,-z,now -o $@ $^ -ldl

-include $(CHECK_OBJS:.o=.d) $(MODEL_OBJS:.o=.d)

# The flags that make a compiler call the checker for every access, and leave call sites where
# they are.
MODEL_CFLAGS := -std=gnu11 -O1 -gdwarf-4 -fsanitize=thread -fno-builtin -fno-inline -fno-optimize-sibling-calls \
	-fno-strict-aliasing -fno-pie
MODEL_CFLAGS_gcc := -fno-ipa-icf -fno-partial-inlining -fno-reorder-blocks-and-partition -Wno-tsan \
	--param=tsan-instrument-func-entry-exit=0
MODEL_CFLAGS_clang := -fno-unroll-loops -fno-vectorize -fno-slp-vectorize \
	-mllvm -tsan-instrument-func-entry-exit=0 -mllvm -rotation-max-header-size=0 -mllvm -enable-tail-merge=0
# clang warns of fields that a designated initialiser leaves out
MODEL_WARN := $(WARN) -Wno-missing-field-initializers
MODEL_CPPFLAGS := -D_GNU_SOURCE $(MODEL_THREADS) -DNAP_NO_UNWINDING -DNAP_NO_DETECTOR -DNAP_NO_TRACE -DNAP_SELF_BY_CALL -DNAP_SPIN_LOOKS=0 -DNAP_LOCK_LOOKS=0 \
	-DNAP_MUTEX_OVERTAKES=1u -Iinclude -iquote src -iquote tests/model -iquote $M -Iarch/c11 -Iarch/$(HOST_ARCH)
# The smallest ring, whose indices wrap at once; programs that define a ring size of their own
# link no worker.
MODEL_RING := -DNAP_RING_SIZE=2 -DNAP_RING_START=0xffffffffu -DNAP_DEQUE_SIZE=2 -DNAP_YIELDS=1 \
	-DNAP_IO_SLOTS=1 -DNAP_ALARMS=255 -DNAP_LONE_PAUSES=0 -DNAP_GATHER_PAUSES=0 -DNAP_PUSH_PAUSES=0 \
	-DNAP_SET_PAUSES=0 -DNAP_SEARCHES=1 -DNAP_WAVE_TASKS=1
MODEL_LDFLAGS := -no-pie -rdynamic -Wl,-z,now \
	-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc \
	-Wl,--wrap=free,--wrap=sched_yield -L$M -l$(MODEL_LIB:$M/lib%.so=%) -Wl,-rpath,$(CURDIR)/$M

MODEL_PROGRAMS := $(patsubst tests/model/%.c,%,$(shell grep -lE 'CHECK_SCENARIO|check_register' tests/model/*.c))
# The programs that are built for every idle protocol, as PROGRAM-go and so on. Gcc alone builds
# these: the programs of MODEL_BOTH show already what two compilers make of one source.
MODEL_SHARED := broadcast call cascade class ends fair group_worker guests io jobs_join jobs_parked join limit places pool quiesce retry start_fails sync \
	sync_own sync_parked sync_leave timer worker_start
MODEL_IDLES := $(filter-out sync,$(IDLES))
MODEL_OTHERS := $(foreach i,$(MODEL_IDLES),$(MODEL_SHARED:%=%-$i))
# The programs that are also built as the bare library is, whose Sync calls no workers
# (src/idle/wave.h), as PROGRAM-bare.
MODEL_BARE := $(patsubst %,%-bare,quiesce sync sync_leave sync_own sync_parked sync_spawn)
MODEL_OTHERS += $(MODEL_BARE)
MODEL_BOTH := $(MODEL_PROGRAMS)
MODEL_PROGRAMS += $(MODEL_OTHERS)
MODEL_OWN_RING := $(patsubst tests/model/%.c,%,$(shell grep -l 'define NAP_RING_SIZE' tests/model/*.c))
# A fiber of a scenario is a thread (fiber_setup.h), so what switches stacks is left out.
MODEL_SRCS := $(filter-out src/os/% src/trace/% src/measure/% src/dump/% $(addprefix src/async/fiber/,switch.c waiting.c ready.c),\
	$(wildcard $(ROOMS:%=src/%/*.c)))
# Scenarios that were built for another library are built anew.
$M/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(MODEL_LIB)' | cmp -s - $@ || echo '$(MODEL_LIB)' > $@

# $(call model_variant,COMPILER,SUFFIX,FLAG)
define model_variant
$M/$1/%-$2.o: tests/model/%.c tests/model/model.mk $M/flags
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$$(Q)$1 $$(MODEL_CPPFLAGS) $$(MODEL_RING) $3 $$(MODEL_CFLAGS) $$(MODEL_CFLAGS_$1) $$(MODEL_WARN) -MMD -MP -c -o $$@ $$<

endef

# $(call model_library,COMPILER,SUFFIX,FLAGS)
define model_library
$M/$1/src$2/%.o: src/%.c tests/model/model.mk
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$$(Q)$1 $3 $$(MODEL_CPPFLAGS) $$(MODEL_RING) $$(MODEL_CFLAGS) $$(MODEL_CFLAGS_$1) $$(MODEL_WARN) -MMD -MP -c -o $$@ $$<

$M/$1/libsrc$2.a: $$(MODEL_SRCS:src/%.c=$M/$1/src$2/%.o)
	$$(Q)rm -f $$@ && ar rcs $$@ $$^

endef

define model_compiler
$(call model_library,$1,)
$(call model_library,$1,-bare,-DNAP_NO_WAVES)

# not instrumented, because it stands for the system
$M/$1/seam.o: tests/model/seam.c tests/model/model.mk $M/flags
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$$(Q)$1 $$(MODEL_CPPFLAGS) $$(MODEL_RING) -std=gnu11 -O1 -g -fno-strict-aliasing -fno-pie $$(MODEL_WARN) -MMD -MP -c -o $$@ $$<

$M/$1/%.o: tests/model/%.c tests/model/model.mk $M/flags
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$$(Q)$1 $$(MODEL_CPPFLAGS) $$(if $$(filter $$*,$$(MODEL_OWN_RING)),,$$(MODEL_RING)) $$(MODEL_CFLAGS) \
		$$(MODEL_CFLAGS_$1) $$(MODEL_WARN) -MMD -MP -c -o $$@ $$<

$(foreach i,$(MODEL_IDLES),$(call model_variant,$1,$i,-DMODEL_IDLE=$(call idle_enum,$i)))
$(call model_variant,$1,bare,-DNAP_NO_WAVES)
$$(MODEL_PROGRAMS:%=$M/$1/%): $M/$1/%: $M/$1/%.o $M/$1/seam.o $$(MODEL_LIB)
	$$(call say,LD,$$@)
	$$(Q)$1 -o $$@ $$< $$(if $$(filter $$*,$$(MODEL_OWN_RING)),,$M/$1/seam.o $$(filter %.a,$$^)) $$(MODEL_LDFLAGS)
$$(MODEL_BARE:%=$M/$1/%): $M/$1/libsrc-bare.a
$$(filter-out $$(MODEL_BARE:%=$M/$1/%),$$(MODEL_PROGRAMS:%=$M/$1/%)): $M/$1/libsrc.a
.PRECIOUS: $M/$1/%.o

-include $$(wildcard $M/$1/*.d $M/$1/src*/*.d $M/$1/src*/*/*.d $M/$1/src*/*/*/*.d)
endef
$(foreach cc,$(MODEL_CCS),$(eval $(call model_compiler,$(cc))))

# The litmus shapes, as scenarios.
SHAPES := $(wildcard tests/shapes/*.shapes)
$(MODEL_CCS:%=$M/%/litmus.o): $M/litmus_shapes.inc
$M/litmus_shapes.inc: tests/model/litmus.awk $(SHAPES)
	@mkdir -p $(@D)
	$(Q)awk -f $^ > $@

# nap-check looks for its libraries in its own folder.
$M/nap-check: tools/check/nap-check $(CHECK_LIB) $M/nap/libnap-spec.a
	$(Q)cp $< $@

ONLY := $(or $(ONLY),$(MODEL_PROGRAMS))
MODEL_RUN = tools/check/model.sh $M

# $(call model_build,COMPILERS,PROGRAMS)
define model_build
	@mkdir -p $M
	+@tools/cpu.sh '$@: what is built' $(MAKE) $(NO_PRINT) $(JOBS) $M/nap-check $(BRUTE) $(foreach cc,$1,$(2:%=$M/$(cc)/%)) > $M/build.log 2>&1 || \
		{ grep -E 'error|Error|warning:|undefined' $M/build.log | head -n 20; echo "(all of it: $M/build.log)"; exit 1; }
endef

.PHONY: model model-one mutate part-model ktap-verdicts
ktap-verdicts: $M/nap-check
	@sh tests/model/verdicts.sh $(TEXTS)

model:
	@tools/setup.sh --only model
	$(call model_build,$(MODEL_CCS),$(MODEL_BOTH))
	$(call model_build,gcc,$(MODEL_OTHERS))
	@status=0; $(MODEL_RUN) "$(MODEL_CCS)" "$(MODEL_BOTH)" || status=$$?; \
		echo "# the same scenarios under the other idle protocols, and as the bare library has them"; \
		$(MODEL_RUN) gcc "$(MODEL_OTHERS)" || status=$$?; exit $$status

model-one:
	$(call model_build,$(MODEL_CC),$(ONLY))
	@MODEL_OPTIONS='$(OPTIONS)' $(MODEL_RUN) "$(MODEL_CC)" "$(ONLY)"

mutate:
	$(call model_build,gcc,$(ONLY))
	@tools/check/mutate.sh $M/gcc "$(filter-out litmus,$(ONLY))" Documentation/ordering.rst '$(MUTATE)'

# What `make check` runs, as gcc builds it: every program under the first protocol, and few programs
# under the others, most of which are about the protocol itself. Of each sampled scenario `make
# check` runs 200 executions. It also runs only 200 of each scenario of MODEL_LONG, whose
# exploration takes seconds, and none of MODEL_LONGER, of which even 400 executions take seconds. Of
# the verdicts it runs those on programs in C, because the compiler takes seconds for each program
# in C++.
MODEL_LONG := cond_with_told cq_close_untold cq_pop_close cq_two deque_force_two doze_fork \
	ended_cond_timed ended_event_stopped ended_group_timed ended_sem_stopped fiber_cond \
	fiber_mutex_canceled fiber_sem_canceled group_ended_stopped guest_after_guest io_closed \
	jobs_open jobs_parked jobs_silent jobs_starting join_waiter limit_looked_at \
	limit_restarted_joined limit_retires_idle limit_rises limit_rises_handed_on \
	lost_wakeup_nap_foreign lost_wakeup_nap_own_ring nap_contended_injection nap_contended_overflow \
	nap_every_spawn_fails nap_join_frees places_first places_left places_timed pool_end_drain \
	pool_life pool_stop pool_stop_inside quiesce_child quiesce_nested ring_steal_one \
	ring_two_thieves scope_owner select_one_of_two serial_cancel serial_two spawn_fail_two \
	start_and_stop start_worker_gives stopped_ring_owner submit_two \
	sync_2_producers sync_leave_exit sync_own_ring_2 sync_own_ring_2_parked sync_schedule \
	treiber_fifo_3_producers vyukov_3_producers vyukov_stub
MODEL_LONGER := join_for_two join_help join_quiesce
MODEL_SHORT := $(MODEL_BOTH) $(foreach p,fair guests jobs_join places quiesce retry start_fails,$(MODEL_IDLES:%=$p-%))
# Programs that explore for so long that `make mutate-random` leaves them out.
MODEL_SLOW := lost_wakeup_nap jobs_parked join pool timer limit fiber_sync
# $(call build_contained,PROTOCOLS): the library as nap-check links it, for contained.sh.
build_contained = $(MAKE) $(NO_PRINT) $(JOBS) $(1:%=$M/nap/libnap-%.a) > $M/contained-build.log 2>&1 || \
	{ cat $M/contained-build.log; exit 1; }
# The same models as relations, for models.sh.
build_litmus = $(MAKE) $(NO_PRINT) $(JOBS) $(OUT)/nap-litmus > $M/litmus-build.log 2>&1 || \
	{ cat $M/litmus-build.log; exit 1; }
.PHONY: part-model-short
part-model-short:
	$(call model_build,gcc,$(MODEL_SHORT))
	@NAP_TEST_TIMEOUT=1800 MODEL_SAMPLES=200 MODEL_SAMPLED='$(MODEL_LONG)' MODEL_LEFT_OUT='$(MODEL_LONGER)' \
		tools/ktap.sh 'model short scenarios' $M/short.log $(MODEL_RUN) gcc "$(MODEL_SHORT)"
	@tools/ktap.sh 'model counts' $M/counts.log sh tests/model/litmus_counts.sh $(BRUTE) $M/gcc/litmus
	+@$(call build_litmus)
	@tools/ktap.sh 'model models' $M/models.log sh tests/model/models.sh
	@NAP_SHORT=1 tools/ktap.sh 'model nap-check' $M/nap-check.log sh tests/model/nap_check.sh
	@tools/ktap.sh 'model reductions' $M/reductions.log sh tests/model/reductions.sh -n 10
	@tools/ktap.sh 'model siblings' $M/siblings.log sh tests/model/siblings.sh
	@COMPILERS=gcc tools/ktap.sh 'model verdicts' $M/verdicts.log sh tests/model/verdicts.sh \
		$(filter-out %_cpp,$(basename $(notdir $(wildcard tests/model/verdicts/*.programs))))
	@tools/ktap.sh 'model programs on nap' $M/on-nap.log sh tests/model/on_nap.sh
	+@$(call build_contained,sync)
	@NAP_SHORT=1 tools/ktap.sh 'model nap contained' $M/contained.log sh tests/model/contained.sh
	@tools/ktap.sh 'model floors' $M/floors.log sh tests/model/floors.sh

part-model:
	$(call model_build,$(MODEL_CCS),$(MODEL_BOTH))
	$(call model_build,gcc,$(MODEL_OTHERS))
	@NAP_TEST_TIMEOUT=1800 tools/ktap.sh 'model scenarios' $M/scenarios.log $(MODEL_RUN) "$(MODEL_CCS)" "$(MODEL_BOTH)"
	@NAP_TEST_TIMEOUT=1800 tools/ktap.sh 'model protocols' $M/protocols.log $(MODEL_RUN) gcc "$(MODEL_OTHERS)"
	@tools/ktap.sh 'model counts' $M/counts.log sh tests/model/litmus_counts.sh $(BRUTE) \
		$(MODEL_CCS:%=$M/%/litmus)
	@MODEL_LDFLAGS='$(MODEL_LDFLAGS)' tools/ktap.sh 'model random' $M/random.log \
		sh tests/model/litmus_random.sh $(SEED:%=-s %) $(BRUTE) \
		$(foreach cc,$(MODEL_CCS),'$(cc) $(MODEL_CPPFLAGS) $(MODEL_CFLAGS) $(MODEL_CFLAGS_$(cc)) $(WARN)')
	@MODEL_LDFLAGS='$(MODEL_LDFLAGS)' tools/ktap.sh 'model random -O0' $M/random-O0.log \
		sh tests/model/litmus_random.sh $(SEED:%=-s %) -n 500 $(BRUTE) \
		$(foreach cc,$(MODEL_CCS),'$(cc) $(MODEL_CPPFLAGS) $(subst -O1,-O0,$(MODEL_CFLAGS)) $(MODEL_CFLAGS_$(cc)) $(WARN)')
	@MODEL_CPPFLAGS='$(MODEL_CPPFLAGS)' tools/ktap.sh 'model counts -O0' $M/counts-O0.log sh tests/model/counts_unoptimised.sh
	@tools/ktap.sh 'model sample' $M/sample.log sh tests/model/sample.sh $M/gcc "$(filter-out litmus,$(MODEL_BOTH))"
	@tools/ktap.sh 'model explored' $M/explored.log sh tests/model/explored.sh $M/gcc "$(IDLES)" "$(filter $(MODEL_BOTH),$(MODEL_SHARED))" \
		"$(MODEL_BARE)" "$(filter-out litmus %published published_% lost_wakeup% $(MODEL_SHARED),$(MODEL_BOTH))" Documentation/checking.rst
	@tools/ktap.sh 'model buffering' $M/buffering.log tools/check/buffering.sh $M/gcc \
		"$(filter-out litmus published_%,$(MODEL_PROGRAMS))" Documentation/ordering.rst
	+@$(MAKE) $(NO_PRINT) $(OUT)/nap-pairs > $M/pairs-build.log 2>&1 || \
		{ cat $M/pairs-build.log; exit 1; }
	@tools/ktap.sh 'model pairs as compiled' $M/pairs.log sh tests/lab/pairs.sh $M/gcc/pairs.list
	+@$(call build_litmus)
	@tools/ktap.sh 'model models' $M/models.log sh tests/model/models.sh
	@tools/ktap.sh 'model nap-check' $M/nap-check.log sh tests/model/nap_check.sh
	@tools/ktap.sh 'model results' $M/results.log sh tests/model/results.sh
	@tools/ktap.sh 'model page' $M/page.log sh tests/model/page.sh
	@tools/ktap.sh 'model parts' $M/parts.log sh tests/model/parts.sh
	@NAP_TEST_TIMEOUT=1800 tools/ktap.sh 'model saved' $M/saved.log sh tests/model/saved.sh
	@tools/ktap.sh 'model reductions' $M/reductions.log sh tests/model/reductions.sh
	@tools/ktap.sh 'model siblings' $M/siblings.log sh tests/model/siblings.sh
	@tools/ktap.sh 'model verdicts' $M/verdicts.log sh tests/model/verdicts.sh
	@tools/ktap.sh 'model programs on nap' $M/on-nap.log sh tests/model/on_nap.sh
	+@$(call build_contained,$(IDLES))
	@NAP_TEST_TIMEOUT=1800 tools/ktap.sh 'model nap contained' $M/contained.log sh tests/model/contained.sh
	@for i in $(MODEL_IDLES); do NAP_SHORT=1 tools/ktap.sh "model nap contained $$i" $M/contained-$$i.log \
		sh tests/model/contained.sh $$i || exit 1; done
	@tools/ktap.sh 'model floors' $M/floors.log sh tests/model/floors.sh
