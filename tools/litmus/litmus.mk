# SPDX-License-Identifier: MIT
#
# The litmus laboratory (tools/litmus/), a tool of this machine, whatever the library is built for.
#
#	make litmus		build/nap-litmus
#	make lab		the gallery and tests/litmus/, under every model that they are for

L := build/litmus
# What uses what, from the bottom: tests/model/floors.sh.
LITMUS_FLOORS := text test read path relations search compile show tool
LITMUS_SRCS := $(wildcard $(LITMUS_FLOORS:%=tools/litmus/%/*.c))
LITMUS_MODELS := $(wildcard tools/check/model/*.model)
LITMUS_OBJS := $(LITMUS_SRCS:tools/litmus/%.c=$L/%.o) $L/matrix.o
LITMUS_CFLAGS = -O2 -g -std=gnu11 $(WARN) -iquote tools/litmus -iquote tools/check -Wa,-Itools/check -MMD -MP

$L/%.o: tools/litmus/%.c tools/litmus/litmus.mk
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)gcc $(LITMUS_CFLAGS) -c -o $@ $<

$L/matrix.o: tools/check/graph/matrix.c tools/litmus/litmus.mk
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)gcc $(LITMUS_CFLAGS) -c -o $@ $<

# The models' texts are part of it.
$L/relations/names.o: $(LITMUS_MODELS)

build/nap-litmus: $(LITMUS_OBJS)
	$(call say,LD,$@)
	$(Q)gcc -o $@ $(LITMUS_OBJS)

.PHONY: litmus
litmus: build/nap-litmus

-include $(LITMUS_OBJS:.o=.d)
