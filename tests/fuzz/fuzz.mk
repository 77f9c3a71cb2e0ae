# SPDX-License-Identifier: MIT
#
# The fuzzers (tests/fuzz/, its daemon/, fibers/ and mixed/), with clang's libFuzzer, AddressSanitizer and
# UndefinedBehaviorSanitizer.
#
#	make fuzz [MINUTES=10] [FUZZ=api]	search, MINUTES with each fuzzer; ends at the first
#						fault, whose input goes to build/fuzz/
#	make fuzz-merge		add to each corpus what the search has found that is new
#	make check-fuzz		the corpora as tests
#
# The fuzzers' ring has 4 slots, so it overflows. stress/fuzz_corpus, stress/fuzz_daemon,
# stress/fuzz_fibers and stress/fuzz_mixed run the corpora in the other variants.

FUZZ := api daemon fibers mixed
FUZZ_BIN := build/clang-c11-fuzz-ring4/tests/fuzz
FUZZ-api := $(FUZZ_BIN)/api tests/fuzz/corpus.txt
FUZZ-fibers := $(FUZZ_BIN)/fibers/main tests/fuzz/fibers/corpus.txt
FUZZ-mixed := $(FUZZ_BIN)/mixed/main tests/fuzz/mixed/corpus.txt
FUZZ-daemon := $(FUZZ_BIN)/daemon/main tests/fuzz/daemon/corpus.txt
FUZZ_BUILD = $(MAKE) $(NO_PRINT) $(JOBS) CC=clang SANITIZE=fuzz RING=4 $(foreach f,$(FUZZ),$(firstword $(FUZZ-$f)))

.PHONY: fuzz fuzz-merge part-fuzz
fuzz:
	@tools/setup.sh --only fuzz
	+@$(FUZZ_BUILD)
	@$(foreach f,$(FUZZ),$(TEST_ENV) tests/fuzz/run.sh fuzz $(FUZZ-$f) build/fuzz/$f '$(or $(MINUTES),10)' &&) :
fuzz-merge:
	+@$(FUZZ_BUILD)
	@$(foreach f,$(FUZZ),tests/fuzz/run.sh merge $(FUZZ-$f) build/fuzz/$f &&) :

part-fuzz:
	@mkdir -p build/fuzz
	+@$(FUZZ_BUILD) > build/fuzz/build.log 2>&1 || \
		{ echo 'fuzz: could not be built:'; tail -n 20 build/fuzz/build.log; \
		  rm -f $(foreach f,$(FUZZ),$(firstword $(FUZZ-$f))); }
	@$(foreach f,$(FUZZ),$(TEST_ENV) tools/ktap.sh 'fuzz corpus of $f' build/fuzz/$f.log \
		tests/fuzz/run.sh check $(FUZZ-$f) build/fuzz/$f &&) :
