# SPDX-License-Identifier: MIT
#
# make bench-quick	the table against peers and targets, in about three minutes
# make bench		the same with more repetitions, what lies beyond the table, and the idle
#			protocols side by side: about twenty minutes
# make bench-programs	what both run, built; build/bench/nap --list
#
# Both want an idle machine, and say when it was not. Peers are optional: tools/bench/have.sh names
# the package of each, and what is not there is named and left out.

# tools/bench/*.c: programs of their own, which print a table.
BENCH_TABLES := $(patsubst tools/bench/%.c,$B/bench/%,$(wildcard tools/bench/*.c))

$(BENCH_TABLES): $B/bench/%: tools/bench/%.c $B/libnap.a $B/flags
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -o $@ $< $B/libnap.a -pthread

BENCH_CFLAGS := -O3
BENCH_FLAGS := -iquote tools/bench -iquote tools/demo
# The steps of the sort and of uts are those of the demo.
BENCH_COMMON := $(patsubst tools/bench/%.c,$B/bench/obj/%.o,$(wildcard tools/bench/common/*.c)) \
	$B/demo/sha1.o $B/demo/sort_steps.o
BENCH_NAP := $(patsubst tools/bench/%.c,$B/bench/obj/%.o,$(wildcard tools/bench/nap/*.c))

$B/bench/obj/%.o: tools/bench/%.c $B/flags
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(BENCH_FLAGS) $(BENCH_CFLAGS) -c -o $@ $<

$B/bench/obj/%.o: tools/bench/%.cc $B/flags
	$(call say,CXX,$@)
	@mkdir -p $(@D)
	$(Q)g++ -std=gnu++17 -D_Static_assert=static_assert -fno-strict-aliasing -pthread -Wall -Wextra -Werror \
		$(NAP_CPPFLAGS) $(BENCH_FLAGS) $(BENCH_CFLAGS) -MMD -MP -c -o $@ $<

$B/bench/nap: $(BENCH_NAP) $(BENCH_COMMON) $B/libnap.a
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $^ -lm

# ---- peers in C and C++

BENCH_PEER = $B/bench/obj/peers/$1.o $(BENCH_COMMON)

$B/bench/futex $B/bench/builtin: $B/bench/%: $(call BENCH_PEER,%)
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $^ -lm

# $(call bench_pkg,PEER,MODULE): a peer that pkg-config knows
define bench_pkg
$B/bench/obj/peers/$1.o: private BENCH_FLAGS += $$(shell pkg-config --cflags $2)
$B/bench/$1: $(call BENCH_PEER,$1)
	$$(call say,LD,$$@)
	$$(Q)$$(LINK) -o $$@ $$^ $$(shell pkg-config --libs $2) -lm
endef
$(eval $(call bench_pkg,glib,glib-2.0))
$(eval $(call bench_pkg,uv,libuv))
$(eval $(call bench_pkg,urcu,liburcu liburcu-cds))
$(eval $(call bench_pkg,ck,ck))

$B/bench/tbb: $(call BENCH_PEER,tbb) $B/bench/obj/peers/tbb_trees.o
	$(call say,LD,$@)
	$(Q)g++ -pthread -o $@ $^ $$(pkg-config --libs tbb) -lm

-include $(BENCH_TABLES:=.d) $(BENCH_NAP:.o=.d) $(BENCH_COMMON:.o=.d)
