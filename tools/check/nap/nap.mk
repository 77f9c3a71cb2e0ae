# SPDX-License-Identifier: MIT
#
# What nap-check --nap links: the library's own sources in a form made for the checker, an archive
# for each idle protocol, $M/nap/libnap-PROTOCOL.a.
#
# They are compiled as nap-check compiles a program (without optimisation, because the checker
# recognises iterations of a loop by the stack), with the smallest rings, as model.mk has them for
# nap's own scenarios. The system below is seam.c. What is left out: the trace, the measurements,
# the dump, and fibers.

NAP_CHECK_NO_FIBERS := switch waiting ready spawn direct report here cancel
NAP_CHECK_SRCS := $(filter-out $(NAP_CHECK_NO_FIBERS:%=src/async/fiber/%.c) src/fork/fork_child.c,$(MODEL_SRCS))
NAP_CHECK_CFLAGS := $(patsubst -O1,-O0,$(MODEL_CFLAGS)) $(MODEL_CFLAGS_gcc) -fdata-sections
NAP_CHECK_CPPFLAGS := $(filter-out $(MODEL_THREADS),$(MODEL_CPPFLAGS)) $(MODEL_RING)

define nap_check_protocol
$M/nap/$1/%.o: src/%.c tools/check/nap/nap.mk tests/model/model.mk
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$$(Q)gcc $$(NAP_CHECK_CPPFLAGS) -DNAP_IDLE_FIRST=$$(call idle_enum,$1) $$(NAP_CHECK_CFLAGS) $$(MODEL_WARN) \
		-MMD -MP -c -o $$@ $$<

# not instrumented, because it stands for the system
$M/nap/$1/seam.o: tools/check/nap/seam.c tools/check/nap/nap.mk tests/model/model.mk
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$$(Q)gcc $$(NAP_CHECK_CPPFLAGS) -DNAP_IDLE_FIRST=$$(call idle_enum,$1) -std=gnu11 -O1 -gdwarf-4 \
		-fno-strict-aliasing -fno-pie $$(MODEL_WARN) -MMD -MP -c -o $$@ $$<

$M/nap/libnap-$1.a: $$(NAP_CHECK_SRCS:src/%.c=$M/nap/$1/%.o) $M/nap/$1/seam.o
	$$(Q)rm -f $$@ && ar rcs $$@ $$^

-include $$(wildcard $M/nap/$1/*.d $M/nap/$1/*/*.d $M/nap/$1/*/*/*.d)
endef
$(foreach i,$(IDLES),$(eval $(call nap_check_protocol,$i)))

# The specification, compiled as a program is.
SPEC_OBJS := $(patsubst tools/check/spec/%.c,$M/nap/spec/%.o,$(wildcard tools/check/spec/*.c))
$M/nap/spec/%.o: tools/check/spec/%.c tools/check/nap/nap.mk tests/model/model.mk
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)gcc -Iinclude $(NAP_CHECK_CFLAGS) $(MODEL_WARN) -MMD -MP -c -o $@ $<
$M/nap/libnap-spec.a: $(SPEC_OBJS)
	$(Q)rm -f $@ && ar rcs $@ $^
-include $(SPEC_OBJS:.o=.d)

NAP_CHECK_LIBS := $(patsubst %,$M/nap/libnap-%.a,spec $(IDLES))
.PHONY: nap-check-nap
nap-check-nap: $(NAP_CHECK_LIBS)
