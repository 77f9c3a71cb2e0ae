# SPDX-License-Identifier: MIT
# make bench: what is measured, each as ratios within one run. Wants an idle machine.

BENCH_PROGRAMS := $(patsubst tools/bench/%.c,$B/bench/%,$(wildcard tools/bench/*.c))

$(BENCH_PROGRAMS): $B/bench/%: tools/bench/%.c $B/libnap.a $B/flags
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -o $@ $< $B/libnap.a -pthread

.PHONY: bench
bench: $(BENCH_PROGRAMS)
	$(Q)for p in $(BENCH_PROGRAMS); do $$p || exit 1; done

-include $(BENCH_PROGRAMS:=.d)
