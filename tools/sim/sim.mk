# SPDX-License-Identifier: MIT
#
# nap-sim (tools/sim/): nap's sources on a simulated machine.
#
#	make build/nap-sim build/nap-sim-measure build/nap-sim-real
#	make sim		speed-up curves of the works on every machine, in less than an hour on two CPUs
#	make sim BEFORE=FILE	and what has changed since an earlier result, $(OUT)/sim/curves.txt
#
# Its tests are tests/sim/; they are the part sim of `make check`.

S := $(OUT)/sim
# The layers, from the bottom: tests/model/floors.sh.
SIM_FLOORS := machine kernel program report main
# Files of other folders that the simulator may include: headers of rooms that the simulator
# replaces or whose types it names, and the switch between stacks.
SIM_GUESTS := include/nap/.*|src/(arch|os|queue|worker)/[a-z]*\.h|arch/.*
# What the simulator is made of: its floors, and the works and pools that it runs beside nap's
# sources.
SIM_SRCS := $(filter-out %/layouts.c,$(wildcard $(SIM_FLOORS:%=tools/sim/%/*.c))) tools/sim/machine/layouts.c
SIM_OBJS := $(SIM_SRCS:tools/sim/%.c=$S/%.o) $S/context.o
SIM_WORK_OBJS := $(patsubst tools/sim/%.c,$S/%.o,$(wildcard tools/sim/work/*.c))

SIM_CPPFLAGS := -D_GNU_SOURCE -DNAP_NO_UNWINDING -DNAP_NO_DETECTOR -DNAP_NO_TRACE -DNAP_SELF_BY_CALL -Iinclude \
	-iquote tools/sim/variant/first -iquote src -iquote tools/sim -I$S -Itools/sim/include -Iarch/$(HOST_ARCH) -DSIM_MACHINES='"$(CURDIR)/tools/sim/topology"'
# The sources are optimised as in the library. There is a hook for each access and for each basic block.
SIM_HOOKS := -fsanitize=thread -fsanitize-coverage=trace-pc -fno-builtin -Wno-tsan --param=tsan-instrument-func-entry-exit=0
SIM_RENAME := $(foreach f,memcpy memmove memset,--redefine-sym $f=sim_$f)
# Programs are not position-independent: addresses are the same in each run, and so the measured times
# are the same.
SIM_COMPILE = gcc $(TOOL_CFLAGS) -O2 -g -std=gnu11 -fno-strict-aliasing -fno-pie $(WARN) $(SIM_CPPFLAGS) -MMD -MP
SIM_LDFLAGS := -no-pie -lm

# The recipe of an object that runs on the simulated machine.
define sim_hooked
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(SIM_COMPILE) $(SIM_HOOKS) -c -o $@ $<
	$(Q)objcopy $(SIM_RENAME) $@
endef

$S/%.o: tools/sim/%.c tools/sim/sim.mk
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(SIM_COMPILE) -c -o $@ $<

$S/work/%.o: tools/sim/work/%.c tools/sim/sim.mk
	$(sim_hooked)

$S/variant/%.o: tools/sim/variant/%.c tools/sim/sim.mk
	$(sim_hooked)

# nap's sources: those that the model checker's programs have, and the switch between fibers' stacks.
# program/system.c stands in place of the rest of src/. Each file of SIM_VARIED is included by a file of
# tools/sim/variant/, which is compiled in its place.
SIM_VARIED := sched/steal.c sched/search.c fork/jobs.c async/fiber/waiting.c idle/sync.c idle/jec.c
SIM_NAP_SRCS := $(filter-out $(SIM_VARIED:%=src/%),$(MODEL_SRCS)) $(addprefix src/async/fiber/,switch.c ready.c)

$S/src/%.o: src/%.c tools/sim/sim.mk
	$(sim_hooked)

$S/src/%-as-one.c: FORCE
	$(call write_joined,$(call of_room,$*,$(SIM_NAP_SRCS)))

$S/src/%-as-one.o: $S/src/%-as-one.c tools/sim/sim.mk
	$(sim_hooked)
.PRECIOUS: $S/src/%-as-one.c

$S/context.o: arch/$(HOST_ARCH)/context.S $(wildcard arch/$(HOST_ARCH)/marks.h) tools/sim/sim.mk
	$(call say,AS,$@)
	@mkdir -p $(@D)
	$(Q)$(SIM_COMPILE) -c -o $@ $<

# The names of the fields, from the debug information of a file that has the types.
SIM_TYPES := nap_pool nap_worker nap__self nap_group
$S/layouts.o: tools/sim/program/layouts.c tools/sim/sim.mk
	@mkdir -p $(@D)
	$(Q)$(SIM_COMPILE) -gdwarf-4 -c -o $@ $<

$S/layouts.inc: $S/layouts.o tools/sim/layouts.awk
	$(Q)readelf --debug-dump=info $< >$S/layouts.info
	$(Q)awk -v types='$(SIM_TYPES)' -f tools/sim/layouts.awk $S/layouts.info >$@

$S/machine/layouts.o: $S/layouts.inc

# A hasty build compiles each room as one file, except async: the simulated system has no epoll, so
# the sources there that wait for fds are not linked.
SIM_NAP_OBJS := $(call objects,$S/src,$(SIM_NAP_SRCS),$(if $(filter 1,$(HASTY)),$(filter-out async,$(ROOMS_TO_JOIN)))) \
	$(addprefix $S/variant/,$(notdir $(SIM_VARIED:.c=.o)))
# The archive is made anew when its list of objects has changed, as between a hasty build and another.
$S/objects: FORCE
	@mkdir -p $(@D)
	@echo '$(SIM_NAP_OBJS)' | cmp -s - $@ || echo '$(SIM_NAP_OBJS)' > $@

$S/libsrc.a: $(SIM_NAP_OBJS) $S/objects
	$(Q)rm -f $@ && ar rcs $@ $(SIM_NAP_OBJS)

$(OUT)/nap-sim: $(SIM_OBJS) $(SIM_WORK_OBJS) $S/libsrc.a
	$(call say,LD,$@)
	$(Q)gcc $(TOOL_LDFLAGS) -o $@ $^ $(SIM_LDFLAGS)

-include $(wildcard $S/*.d $S/*/*.d $S/src/*/*.d $S/src/*/*/*.d)

# The tests' programs: works whose behaviour is known, beside the tool's own works.
$S/tests/%.o: tests/sim/%.c tools/sim/sim.mk
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(SIM_COMPILE) $(if $(filter works broken,$*),$(SIM_HOOKS)) -c -o $@ $<

$S/tests/lines: $S/tests/lines.o $S/machine/lines.o $S/machine/topology.o
$S/tests/nap-sim-works: $(SIM_OBJS) $(SIM_WORK_OBJS) $S/tests/works.o $S/tests/broken.o $S/libsrc.a
$S/tests/lines $S/tests/nap-sim-works:
	$(call say,LD,$@)
	$(Q)gcc $(TOOL_LDFLAGS) -o $@ $^ $(SIM_LDFLAGS)

.PHONY: part-sim sim
part-sim:
	@mkdir -p $S
	+@$(MAKE) $(NO_PRINT) $(JOBS) $(OUT)/nap-sim $(OUT)/nap-sim-measure $(OUT)/nap-sim-real $S/tests/lines $S/tests/nap-sim-works > $S/build.log 2>&1 || \
		{ grep -E 'error|Error|warning:|undefined' $S/build.log | head -n 20; echo "(all of it: $S/build.log)"; exit 1; }
	@tools/ktap.sh 'sim lines' $S/lines.log $S/tests/lines
	@tools/ktap.sh 'sim programs' $S/sim.log sh tests/sim/sim.sh $(OUT)
	@NAP_GUESTS='$(SIM_GUESTS)' tools/ktap.sh 'sim floors' $S/floors.log \
		sh tests/model/floors.sh tools/sim $S $(SIM_FLOORS)

# The curves: tools/sim/curves.sh.
sim: $(OUT)/nap-sim
	@sh tools/sim/curves.sh $(OUT) $(BEFORE)

# Measures this machine, and prints its topology file.
$(OUT)/nap-sim-measure: tools/sim/measure/measure.c tools/sim/sim.mk
	$(call say,CC,$@)
	$(Q)gcc $(TOOL_CFLAGS) -O2 -g -std=gnu11 -D_GNU_SOURCE -pthread $(WARN) -o $@ $<

# The works on this machine itself: without hooks, and with the library. work/variants.c is left
# out, because the library has no variants.
$S/real/%.o: tools/sim/%.c tools/sim/sim.mk
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(SIM_COMPILE) -c -o $@ $<

$(OUT)/nap-sim-real: $(patsubst tools/sim/%.c,$S/real/%.o,$(filter-out %/variants.c,$(wildcard tools/sim/work/*.c)) tools/sim/program/random.c tools/sim/real/real.c) $(OUT)/libnap.a
	$(call say,LD,$@)
	$(Q)gcc $(TOOL_LDFLAGS) -pthread -no-pie -o $@ $^
