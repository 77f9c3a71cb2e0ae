# SPDX-License-Identifier: MIT
#
# Faults that published designs have had, put back into a copy of the source one at a time.
#
#	make mutants [ONLY=regex]	a line each: the test that notices; exits 1 if one survives
#
# The tables beside this file say which fault, and which test has to notice: tools/mutants.sh.
#
#	make mutate-random N=300 SEED=7		change statements of src/ at random, one at a time; a
#						test or the model notices: tools/mutate_random.sh

.PHONY: mutants print-test mutate-random print-model-flags
mutants:
	@tools/setup.sh --only mutants
	@MAKE='$(MAKE)' tools/mutants.sh $(if $(filter command line,$(origin ONLY)),'$(ONLY)')

# Prints how the test program TEST (unit/spawn) of this variant is run.
print-test:
	@echo '$(TEST_RUN) $B/tests/$(TEST)'

# The programs that may notice a change made at random: the tests in the native build, the scripts
# that use the library and are quick, the tests of misuse in a debug build, the tests without a
# libc, and the short form of the model.
RANDOM_PROGRAMS = $(TESTS:%=native:%) $(foreach s,detector detector_valgrind exceptions idle jobs nproc plugin probes trace,system:$s) \
	$(patsubst tests/%.c,debug:%,$(wildcard tests/unit/debug_*.c)) \
	$(patsubst %,bare:%,$(sort $(COVER_BARE) $(BARE_UNIT))) $(patsubst %,model:%,$(filter-out $(MODEL_SLOW),$(MODEL_SHORT)))
BARE_UNIT = $(filter-out unit/atomic%,$(filter unit/%,$(shell $(MAKE) -s $(NO_PRINT) BARE=1 print-tests)))
mutate-random:
	@tools/setup.sh --only mutate_random
	@MAKE='$(MAKE)' MUTANT_PROGRAMS='$(RANDOM_PROGRAMS)' \
		tools/mutate_random.sh $(foreach v,N SEED ONLY OUT,$(if $(filter command line,$(origin $v)),$v='$($v)'))

print-model-flags:
	@echo '$(MODEL_CFLAGS_gcc)'
