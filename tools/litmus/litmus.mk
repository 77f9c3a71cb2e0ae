# SPDX-License-Identifier: MIT
#
# The litmus laboratory (tools/litmus/), a tool of this machine, whatever the library is built for.
#
#	make litmus		build/nap-litmus; build/nap-pairs: load buffering in nap as
#				it is compiled
#	make lab		the gallery and tests/litmus/: under every model that they are for,
#				and as gcc and clang make instructions of them; as a page,
#				build/lab/index.html
#
# Its tests are tests/lab/; `make check-lab` runs all of them, `make check-lab-short` fewer random
# ones.

L := $(OUT)/litmus
# The layers, from the bottom: tests/model/floors.sh.
LITMUS_FLOORS := text test read path relations search compile generate show seen run tool
LITMUS_SRCS := $(wildcard $(LITMUS_FLOORS:%=tools/litmus/%/*.c))
LITMUS_MODELS := $(wildcard tools/check/model/*.model tools/litmus/model/*.model)
PICTURE_SRCS := $(wildcard tools/picture/*.c)
LITMUS_OBJS := $(LITMUS_SRCS:tools/litmus/%.c=$L/%.o) $(PICTURE_SRCS:tools/%.c=$L/%.o) $L/matrix.o
LITMUS_CFLAGS = $(TOOL_CFLAGS) -O2 $(TOOL_DEBUG) -std=gnu11 $(WARN) -iquote tools/litmus -iquote tools/check \
	-iquote tools -Wa,-Itools/litmus,-Itools/check -MMD -MP

$L/%.o: tools/litmus/%.c tools/litmus/litmus.mk
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)gcc $(LITMUS_CFLAGS) -c -o $@ $<

# These sources are part of nap-check, too (tests/model/model.mk).
$L/picture/%.o: tools/picture/%.c tools/litmus/litmus.mk
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)gcc $(LITMUS_CFLAGS) -c -o $@ $<

$L/matrix.o: tools/check/graph/matrix.c tools/litmus/litmus.mk
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)gcc $(LITMUS_CFLAGS) -c -o $@ $<

# The texts of the models are part of the tool.
$L/relations/names.o: $(LITMUS_MODELS)

# The program that runs a test is part of the tool, too.
$L/run/texts.o: $(wildcard tools/litmus/run/program/*)

# nap-pairs reads compiled sources of nap, and is a program of its own.
PAIRS_SRCS := $(wildcard tools/litmus/pairs/*.c)
PAIRS_OBJS := $(PAIRS_SRCS:tools/litmus/%.c=$L/%.o)

$(PAIRS_OBJS): LITMUS_CFLAGS += -D_GNU_SOURCE

$(OUT)/nap-pairs: $(PAIRS_OBJS) $(LITMUS_OBJS)
	$(call say,LD,$@)
	$(Q)gcc -o $@ $(PAIRS_OBJS) $(filter-out $L/tool/%,$(LITMUS_OBJS))

# The gallery: one file a test, as every tool for litmus tests reads them.
$(OUT)/gallery: $(wildcard tools/litmus/gallery/*.tests) tools/cut.awk
	$(call say,CUT,$@)
	@rm -rf $@ && mkdir -p $@
	$(Q)awk -v directory=$@ -f tools/cut.awk $(filter %.tests,$^)

$(OUT)/nap-litmus: $(LITMUS_OBJS) | $(OUT)/gallery
	$(call say,LD,$@)
	$(Q)gcc $(TOOL_LDFLAGS) -o $@ $(LITMUS_OBJS)

# Tests in C of a part: tests/lab/NAME.c with all of the tool except its main.
LAB_TESTS := read read_c generate lab
# The reference of both nap-check and nap-litmus: it shares no code with them.
BRUTE := $L/tests/brute
LAB_BRUTE := $(wildcard tests/lab/brute*.c)
# A reference for accesses of different sizes. It shares only small parts with the first reference.
BYTES := $L/tests/bytes
LAB_BYTES := $(wildcard tests/lab/bytes*.c) tests/lab/brute_random.c tests/lab/brute_text.c

$(LAB_TESTS:%=$L/tests/%): $L/tests/%: tests/lab/%.c $(wildcard tests/lab/*.h) $(LITMUS_OBJS)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)gcc $(LITMUS_CFLAGS) -iquote tests/lab -o $@ $< $(filter-out $L/tool/%,$(LITMUS_OBJS))

$(BRUTE): $(LAB_BRUTE) $(wildcard tests/lab/brute*.h) tools/litmus/litmus.mk
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)gcc -O2 -g -std=gnu11 $(WARN) -o $@ $(LAB_BRUTE)

$(BYTES): $(LAB_BYTES) $(wildcard tests/lab/b*.h) tools/litmus/litmus.mk
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)gcc -O2 -g -std=gnu11 $(WARN) -o $@ $(LAB_BYTES)

.PHONY: litmus lab part-lab part-lab-short ktap-loops
litmus: $(OUT)/nap-litmus $(OUT)/nap-pairs

lab: $(OUT)/nap-litmus
	@tools/setup.sh --only lab
	@sh tools/litmus/lab.sh $(OUT)/nap-litmus $(OUT)/lab

# $(call lab_tests,RANDOM PROGRAMS A MODEL,SCRIPTS TO LEAVE OUT,RANDOM PROGRAMS WITH A LOOP,ENVIRONMENT)
define lab_tests
	@mkdir -p $L
	+@$(MAKE) $(NO_PRINT) $(JOBS) $(OUT)/nap-litmus $(OUT)/nap-pairs $(LAB_TESTS:%=$L/tests/%) \
		$(BRUTE) $(BYTES) $M/nap-check > $L/build.log 2>&1 || \
		{ grep -E 'error|Error|warning:|undefined' $L/build.log | head -n 20; \
		  echo "(all of it: $L/build.log)"; exit 1; }
	@for t in $(LAB_TESTS); do tools/ktap.sh "lab $$t" $L/$$t.log $L/tests/$$t || exit 1; done
	@for t in $(filter-out random mixed loops $2,$(basename $(notdir $(wildcard tests/lab/*.sh)))); do \
		$4 tools/ktap.sh "lab $$t" $L/$$t.log sh tests/lab/$$t.sh || exit 1; done
	@tools/ktap.sh 'lab random' $L/random.log sh tests/lab/random.sh $1
	@tools/ktap.sh 'lab mixed' $L/mixed.log sh tests/lab/mixed.sh $1
	@tools/ktap.sh 'lab loops' $L/loops.log sh tests/lab/loops.sh $3
	@tools/ktap.sh 'lab floors' $L/floors.log \
		sh tests/model/floors.sh tools/litmus $L $(LITMUS_FLOORS) pairs
endef

part-lab:
	$(call lab_tests,2000,,300)
part-lab-short:
	$(call lab_tests,100,kernel bundle_emulated picture,10,NAP_SHORT=1 RUNS=30k)

# For mutants of the loops: few random programs, because the tests of loops.tests have to notice.
ktap-loops: $(OUT)/nap-litmus $(BRUTE)
	@sh tests/lab/loops.sh 5

-include $(LITMUS_OBJS:.o=.d) $(PAIRS_OBJS:.o=.d)
