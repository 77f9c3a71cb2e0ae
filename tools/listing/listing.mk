# SPDX-License-Identifier: MIT
#
# make listing              write the table Documentation/atomics.txt anew
# make check-listing        build and compare with it (a part of make check)
# make ktap-listing         the same, and print the KTAP
#
# The table says by which instructions each atomic operation touches or orders memory, as gcc
# compiled it. clang has to use the same instructions. Whatever ARCH= and CC= are, all four columns
# are made, each by its own compiler. LISTING_CC_<arch>= and LISTING_CLANG= name other compilers.

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

$(LISTING_DIR)/%.gcc: $(LISTING_DEPS)
	$(call say,LIST,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(LISTING_CC_$*) $(LISTING_FLAGS) $(LISTING_ISA_$*) -c -o $@.o $<
	$(Q)$(LISTING) list $(LISTING_TARGET_$*)-objdump $@.o > $@

# This file is empty if there is no clang, or if this clang cannot compile for the machine.
$(LISTING_DIR)/%.clang: $(LISTING_DEPS)
	$(call say,LIST,$@)
	$(Q)mkdir -p $(@D)
	$(Q)if echo 'int x;' | $(LISTING_CLANG) --target=$(LISTING_TARGET_$*) \
		-xc -c -o /dev/null - 2>/dev/null; then \
		$(LISTING_CLANG) --target=$(LISTING_TARGET_$*) $(LISTING_FLAGS) $(LISTING_ISA_$*) \
			-c -o $@.o $< && \
		$(LISTING) list $(LISTING_TARGET_$*)-objdump $@.o > $@; \
	else \
		: > $@; \
	fi

.PHONY: listing
listing: $(LISTINGS:%=$(LISTING_DIR)/%.gcc)
	$(Q){ echo '# SPDX-License''-Identifier: MIT' && \
		echo '# By which instructions each atomic operation touches or orders memory; made by "make listing".' && \
		$(LISTING) table $^; } > Documentation/atomics.txt

.PHONY: part-listing
part-listing:
	+@tools/ktap.sh listing $(LISTING_DIR).log $(MAKE) --no-print-directory ktap-listing

.PHONY: ktap-listing
ktap-listing: $(LISTINGS:%=$(LISTING_DIR)/%.gcc) $(LISTINGS:%=$(LISTING_DIR)/%.clang)
	$(Q){ n=0; echo 'TAP version 13'; echo '1..8'; \
	for name in $(LISTINGS); do \
		for cc in gcc clang; do \
			n=$$((n + 1)); \
			got=$(LISTING_DIR)/$$name.$$cc; \
			if [ -s $$got ]; then \
				$(LISTING) check $$n atomics-$$name.$$cc Documentation/atomics.txt $$name $$got; \
			else \
				echo "ok $$n atomics-$$name.$$cc # SKIP needs package $$cc"; \
			fi; \
		done; \
	done; } > $(LISTING_DIR)/check.tap
	$(Q)cat $(LISTING_DIR)/check.tap
	$(Q)! grep -q '^not ok' $(LISTING_DIR)/check.tap
