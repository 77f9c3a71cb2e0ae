# SPDX-License-Identifier: MIT
# make demo [PATHS="..."]: count the words in the files below PATHS, by default /usr/include and
# /usr/share, on all CPUs and on one.

DEMO_SRCS := $(wildcard tools/demo/*.c)
DEMO_OBJS := $(DEMO_SRCS:tools/demo/%.c=$B/demo/%.o)

# The demo compares two forms of a function, so both get the best optimisation.
$B/demo/fib.o: DEMO_CFLAGS := -O3

$B/demo/%.o: tools/demo/%.c $B/flags tools/demo/demo.mk
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -iquote tools/works $(KERNEL_HEADERS) $(DEMO_CFLAGS) -DDEMO_VERSION='"$(VERSION)"' -c -o $@ $<

$B/nap-demo: $(DEMO_OBJS) $(WORKS_OBJS) $B/libnap.a
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $(DEMO_OBJS) $(WORKS_OBJS) $B/libnap.a -lm

.PHONY: demo
demo: $B/nap-demo
	$(Q)$(RUN) $B/nap-demo words $(PATHS)

-include $(DEMO_OBJS:.o=.d)
