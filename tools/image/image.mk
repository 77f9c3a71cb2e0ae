# SPDX-License-Identifier: MIT
# make image [ARCH=...] [CPUS="1 2 8"]: builds a kernel of a megabyte or two, whose only programs
# are the bare tests, and boots it by qemu-system with each number of CPUs. Building the kernel
# takes some minutes, once.
CPUS ?= 1 2 8

.PHONY: image
image:
	+@MAKE='$(MAKE)' tools/image/image.sh --cpus '$(CPUS)' $(IMAGE_ARGS) $(ARCH)

# With IMAGE=1: the programs of an archive, and their names. A bare build has the tests that need no
# libc; a build with a libc has only the fault tests, and unit/jobs_fenced.
.PHONY: image-programs
ifeq ($(BARE),1)
IMAGE_TESTS := $(TESTS)
image-programs: $B/tests/image/init
else
IMAGE_TESTS := $(filter fault/% unit/jobs_fenced,$(TESTS))
endif
image-programs: $(IMAGE_TESTS:%=$B/tests/%)
	@printf '%s\n' $(IMAGE_TESTS:%=$B/tests/%) > $B/tests/programs

# The example that is the only program of an image: tools/example/appliance.
APPLIANCE_OBJS := $(patsubst %.c,$B/obj/%.o,$(wildcard tools/example/appliance/*.c))
$(APPLIANCE_OBJS): $B/obj/%.o: %.c $B/flags
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -Os $(SECTIONS) -fPIE -ftls-model=local-exec \
		$(if $(filter aarch64,$(ARCH)),-mno-outline-atomics) -c -o $@ $<

$B/nap-appliance: $(APPLIANCE_OBJS) $B/libnap.a
	$(call say,LD,$@)
	$(Q)$(BARE_LINK) $(BARE_GC) -o $@ $^
	$(Q)$(OBJCOPY) --strip-all --remove-section=.comment $@

-include $(APPLIANCE_OBJS:.o=.d)

.PHONY: appliance
appliance:
	+@MAKE='$(MAKE)' tools/image/appliance.sh $(ARCH) $(firstword $(filter-out 1,$(CPUS)) 1)
