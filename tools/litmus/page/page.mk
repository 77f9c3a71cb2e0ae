# SPDX-License-Identifier: MIT
#
# The laboratory on a page.
#
#	make page		build/page/nap-litmus.html, one file for any browser
#
# clang compiles the tool's own sources, and engine/, to WebAssembly. `make part-page` tests it.

PAGE := $(OUT)/page
# All folders except those that a page has no use for: compilers, this machine, the command line.
PAGE_FLOORS := $(filter-out compile run tool,$(LITMUS_FLOORS)) engine
PAGE_SRCS := $(filter-out tools/litmus/text/try.c,$(wildcard $(PAGE_FLOORS:%=tools/litmus/%/*.c))) \
	tools/litmus/compile/listing.c $(patsubst %,tools/litmus/tool/%.c,models orders strengthen weakest)
PAGE_OBJS := $(PAGE_SRCS:tools/litmus/%.c=$(PAGE)/obj/%.o) $(PICTURE_SRCS:tools/%.c=$(PAGE)/obj/%.o) \
	$(PAGE)/obj/matrix.o
PAGE_CC := clang --target=wasm32-wasi --sysroot=/usr
PAGE_MODELS := sc tso armv8 rvwmo rc11 c20 lkmm lkmm61
# A search that is wider than this memory ends the engine, and the page starts another.
PAGE_MEMORY := 268435456
PAGE_CFLAGS := -O2 -std=gnu11 $(WARN) -iquote tools/litmus -iquote tools/check -iquote tools \
	-Wa,-Itools/litmus,-Itools/check -MMD -MP \
	'-DTEXT_SECTION=".section .rodata.texts,\"\",@"' '-DTEXT_PREVIOUS=""'

$(PAGE)/obj/%.o: tools/litmus/%.c tools/litmus/page/page.mk
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(PAGE_CC) $(PAGE_CFLAGS) -c -o $@ $<

$(PAGE)/obj/picture/%.o: tools/picture/%.c tools/litmus/page/page.mk
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(PAGE_CC) $(PAGE_CFLAGS) -c -o $@ $<

$(PAGE)/obj/matrix.o: tools/check/graph/matrix.c tools/litmus/page/page.mk
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(PAGE_CC) $(PAGE_CFLAGS) -c -o $@ $<

$(PAGE)/obj/relations/names.o: $(LITMUS_MODELS)

# The stack comes first in memory: if it gets too deep, that is a fault, and no data are
# overwritten.
$(PAGE)/nap-litmus.wasm: $(PAGE_OBJS)
	$(call say,LD,$@)
	$(Q)$(PAGE_CC) -mexec-model=reactor -o $@ $(PAGE_OBJS) -Wl,--strip-all,--stack-first,-z,stack-size=4194304 \
		-Wl,--max-memory=$(PAGE_MEMORY),--export-table,--export=__stack_pointer \
		-Wl,--export=nap_litmus,--export=malloc,--export=free

QUESTIONS := $(wildcard tools/litmus/questions/*.litmus)
# The gallery's verdicts, for readers without JavaScript. They are checked by tests/lab/gallery.sh.
$(PAGE)/verdicts.csv: $(OUT)/nap-litmus $(OUT)/gallery $(QUESTIONS)
	$(call say,RUN,$@)
	@mkdir -p $(@D)
	$(Q)ls $(OUT)/gallery/*.litmus $(QUESTIONS) | $(OUT)/nap-litmus --csv $(PAGE_MODELS:%=--model=%) --files=- >$@ 2>/dev/null || [ -s $@ ]

$(PAGE)/pictures: $(OUT)/nap-litmus $(OUT)/gallery $(QUESTIONS)
	@rm -rf $@ && mkdir -p $@
	$(Q)$(OUT)/nap-litmus --quiet --svg=$@ $(OUT)/gallery tools/litmus/questions >$(PAGE)/pictures.log || { cat $(PAGE)/pictures.log; exit 1; }

# The questions, in the form of the gallery's texts.
$(PAGE)/questions.tests: $(QUESTIONS)
	@mkdir -p $(@D)
	$(Q)awk 'BEGIN { print "#\n# Questions that people have asked." } FNR == 1 { n = split(FILENAME, part, "/"); print "==== " part[n] } \
		{ print }' $^ >$@

$(PAGE)/gallery.html: $(PAGE)/verdicts.csv $(PAGE)/pictures tools/litmus/page/gallery.awk $(wildcard tools/litmus/gallery/*.tests) \
	$(PAGE)/questions.tests
	$(Q)awk -v pictures=$(PAGE)/pictures -f tools/litmus/page/gallery.awk $< $(filter %.tests,$^) >$@

$(PAGE)/engine.base64: $(PAGE)/nap-litmus.wasm
	$(Q)base64 -w 0 $< >$@ && echo >>$@

# The page's script, in the order in which its files use each other, and its hash: the page's policy lets no
# other script run, whatever a link or a test has in it.
PAGE_SCRIPTS := words editor ask gallery verdicts steps picture models cycles share seen main
$(PAGE)/script.js: $(PAGE_SCRIPTS:%=tools/litmus/page/%.js) tools/litmus/page/page.mk
	@mkdir -p $(@D)
	$(Q){ echo; echo '"use strict";'; grep -hv SPDX-License-Identifier $(filter %.js,$^); } >$@

$(PAGE)/script.sha256: $(PAGE)/script.js
	$(Q)sha256sum $< | LC_ALL=C awk '{ for (i = 1; i < 64; i += 2) printf "%c", \
		16 * (index("0123456789abcdef", substr($$1, i, 1)) - 1) + index("0123456789abcdef", substr($$1, i + 1, 1)) - 1 }' | \
		base64 >$@

$(PAGE)/nap-litmus.html: $(PAGE)/gallery.html $(PAGE)/engine.base64 $(PAGE)/script.js $(PAGE)/script.sha256 \
	$(wildcard tools/litmus/page/*.*)
	$(call say,PAGE,$@)
	$(Q)awk -v made=$(PAGE) -f tools/litmus/page/page.awk tools/litmus/page/page.html >$@.new
	$(Q)mv $@.new $@

.PHONY: page
page: $(PAGE)/nap-litmus.html

-include $(PAGE_OBJS:.o=.d)
