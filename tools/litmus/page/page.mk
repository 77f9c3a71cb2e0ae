# SPDX-License-Identifier: MIT
#
# The laboratory on a page.
#
#	make page		build/page/nap-litmus.wasm
#
# clang compiles the tool's own sources, and engine/, to WebAssembly. `make part-page` tests it.

PAGE := $(OUT)/page
# What a page has no use for: compilers, this machine, the command line.
PAGE_FLOORS := $(filter-out compile run tool,$(LITMUS_FLOORS)) engine
PAGE_SRCS := $(filter-out tools/litmus/text/try.c,$(wildcard $(PAGE_FLOORS:%=tools/litmus/%/*.c))) \
	$(patsubst %,tools/litmus/tool/%.c,models orders strengthen weakest)
PAGE_OBJS := $(PAGE_SRCS:tools/litmus/%.c=$(PAGE)/obj/%.o) $(PAGE)/obj/matrix.o
PAGE_CC := clang-14 --target=wasm32-wasi --sysroot=/usr
# A search that is wider than this memory ends the engine, and the page starts another.
PAGE_MEMORY := 268435456
PAGE_CFLAGS := -O2 -std=gnu11 $(WARN) -iquote tools/litmus -iquote tools/check \
	-Wa,-Itools/litmus,-Itools/check -MMD -MP \
	'-DTEXT_SECTION=".section .rodata.texts,\"\",@"' '-DTEXT_PREVIOUS=""'

$(PAGE)/obj/%.o: tools/litmus/%.c tools/litmus/page/page.mk
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(PAGE_CC) $(PAGE_CFLAGS) -c -o $@ $<

$(PAGE)/obj/matrix.o: tools/check/graph/matrix.c tools/litmus/page/page.mk
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(PAGE_CC) $(PAGE_CFLAGS) -c -o $@ $<

$(PAGE)/obj/relations/names.o: $(LITMUS_MODELS)

# The stack lies first: one that is too deep is a fault and not another's data.
$(PAGE)/nap-litmus.wasm: $(PAGE_OBJS)
	$(call say,LD,$@)
	$(Q)$(PAGE_CC) -mexec-model=reactor -o $@ $(PAGE_OBJS) -Wl,--strip-all,--stack-first,-z,stack-size=4194304 \
		-Wl,--max-memory=$(PAGE_MEMORY),--export-table,--export=__stack_pointer \
		-Wl,--export=nap_litmus,--export=malloc,--export=free

.PHONY: page
page: $(PAGE)/nap-litmus.wasm

-include $(PAGE_OBJS:.o=.d)
