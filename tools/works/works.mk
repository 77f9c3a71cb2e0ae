# SPDX-License-Identifier: MIT
# Works that the demo and the benchmarks share. Their times are measured, so all are built with the
# best optimisation of the compiler.

WORKS_OBJS := $(patsubst tools/works/%.c,$B/works/%.o,$(wildcard tools/works/*.c))

$B/works/%.o: tools/works/%.c $B/flags tools/works/works.mk
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -O3 -c -o $@ $<

-include $(WORKS_OBJS:.o=.d)
