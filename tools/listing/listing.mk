# SPDX-License-Identifier: MIT
#
# make listing              write the tables Documentation/atomics-*.txt anew
# make check-listing        build and compare with them (a part of make check)
# make ktap-listing         the same, and print the KTAP
#
# A table says which instructions each atomic operation is, as gcc compiled it. clang has to come to
# the same ones of those that are about memory order. Whatever ARCH= and CC= are, all four tables
# are made: each needs its own compiler, and LISTING_CC_<arch>= and LISTING_CLANG= name others.

LISTINGS := x86_64 aarch64 aarch64-lse riscv64

LISTING_CC_x86_64 ?= x86_64-linux-gnu-gcc
LISTING_CC_aarch64 ?= aarch64-linux-gnu-gcc
LISTING_CC_aarch64-lse ?= $(LISTING_CC_aarch64)
LISTING_CC_riscv64 ?= riscv64-linux-gnu-gcc
LISTING_CLANG ?= clang

LISTING_TARGET_x86_64 := x86_64-linux-gnu
LISTING_TARGET_aarch64 := aarch64-linux-gnu
LISTING_TARGET_aarch64-lse := aarch64-linux-gnu
LISTING_TARGET_riscv64 := riscv64-linux-gnu

LISTING_ISA_x86_64 := -Iarch/x86_64
LISTING_ISA_aarch64 := -Iarch/aarch64 -Iarch/aarch64/llsc
LISTING_ISA_aarch64-lse := -march=armv8.1-a -Iarch/aarch64 -Iarch/aarch64/lse
LISTING_ISA_riscv64 := -march=rv64gc -mabi=lp64d -Iarch/riscv64

LISTING_FLAGS := -std=gnu11 -O2 -fno-pic -fno-asynchronous-unwind-tables -iquote src
LISTING := tools/listing/listing.sh
LISTING_DEPS := tools/listing/ops.c $(LISTING) src/arch/atomic.h \
	$(wildcard arch/*/atomic.h arch/*/*/rmw.h)
LISTING_DIR := $B/listing

# The compiler is compared by the line that names it, so that has the major version only.
$(LISTING_DIR)/%.gcc.txt: $(LISTING_DEPS)
	$(call say,LIST,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(LISTING_CC_$*) $(LISTING_FLAGS) $(LISTING_ISA_$*) -c -o $(@:.txt=.o) $<
	$(Q){ echo '# SPDX-License-Identifier: MIT' && \
		echo "# compiler: gcc $$($(LISTING_CC_$*) -dumpversion | cut -d. -f1) -O2" && \
		echo '# The atomic operations of $*; made by "make listing".' && \
		$(LISTING) list $(LISTING_TARGET_$*)-objdump $(@:.txt=.o); } > $@

# An empty file where this clang has no such target, or there is no clang.
$(LISTING_DIR)/%.clang.txt: $(LISTING_DEPS)
	$(call say,LIST,$@)
	$(Q)mkdir -p $(@D)
	$(Q)if echo 'int x;' | $(LISTING_CLANG) --target=$(LISTING_TARGET_$*) \
		-xc -c -o /dev/null - 2>/dev/null; then \
		$(LISTING_CLANG) --target=$(LISTING_TARGET_$*) $(LISTING_FLAGS) $(LISTING_ISA_$*) \
			-c -o $(@:.txt=.o) $< && \
		$(LISTING) list $(LISTING_TARGET_$*)-objdump $(@:.txt=.o) > $@; \
	else \
		: > $@; \
	fi

.PHONY: listing
listing: $(LISTINGS:%=$(LISTING_DIR)/%.gcc.txt)
	$(Q)for name in $(LISTINGS); do \
		cp $(LISTING_DIR)/$$name.gcc.txt Documentation/atomics-$$name.txt || exit; done

.PHONY: part-listing
part-listing:
	+@tools/ktap.sh listing $(LISTING_DIR).log $(MAKE) --no-print-directory ktap-listing

.PHONY: ktap-listing
ktap-listing: $(LISTINGS:%=$(LISTING_DIR)/%.gcc.txt) $(LISTINGS:%=$(LISTING_DIR)/%.clang.txt)
	$(Q){ n=0; echo 'TAP version 13'; echo '1..8'; \
	for name in $(LISTINGS); do \
		table=Documentation/atomics-$$name.txt; \
		n=$$((n + 1)); \
		got=$(LISTING_DIR)/$$name; \
		$(LISTING) check $$n atomics-$$name.gcc $$table $$got.gcc.txt; \
		n=$$((n + 1)); \
		if [ -s $$got.clang.txt ]; then \
			$(LISTING) check-atomics $$n atomics-$$name.clang $$table $$got.clang.txt; \
		else \
			echo "ok $$n atomics-$$name.clang # SKIP needs package clang"; \
		fi; \
	done; } > $(LISTING_DIR)/check.tap
	$(Q)cat $(LISTING_DIR)/check.tap
	$(Q)! grep -q '^not ok' $(LISTING_DIR)/check.tap
