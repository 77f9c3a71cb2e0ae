# SPDX-License-Identifier: MIT
#
# The fuzzer (tests/fuzz/), with clang's libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer.
#
#	make fuzz [MINUTES=10]	search; ends at the first fault, whose input goes to build/fuzz/
#	make fuzz-merge		add to tests/fuzz/corpus/ what the search has found to be new
#	make check-fuzz		the corpus as tests
#
# With a ring of 4, which overflows. stress/fuzz_corpus runs the corpus in the other variants.

FUZZ := build/clang-c11-fuzz-ring4/tests/fuzz/api
FUZZ_BUILD = $(MAKE) $(NO_PRINT) $(JOBS) CC=clang SANITIZE=fuzz RING=4 $(FUZZ)

.PHONY: fuzz fuzz-merge part-fuzz
fuzz:
	@tools/setup.sh --only fuzz
	+@$(FUZZ_BUILD)
	@$(TEST_ENV) tests/fuzz/run.sh fuzz $(FUZZ) build/fuzz '$(or $(MINUTES),10)'
fuzz-merge:
	+@$(FUZZ_BUILD)
	@tests/fuzz/run.sh merge $(FUZZ) build/fuzz

part-fuzz:
	@mkdir -p build/fuzz
	+@$(FUZZ_BUILD) > build/fuzz/build.log 2>&1 || \
		{ echo 'fuzz: could not be built:'; tail -n 20 build/fuzz/build.log; rm -f $(FUZZ); }
	@$(TEST_ENV) tools/ktap.sh 'fuzz corpus' build/fuzz/corpus.log tests/fuzz/run.sh check $(FUZZ)
