# SPDX-License-Identifier: MIT
#
# Faults that published designs have had, put back into a copy of the source one at a time.
#
#	make mutants [ONLY=regex]	a line each: the test that notices; exits 1 if one survives
#
# The patches beside this file say which fault, and which test has to notice: tools/mutants.sh.
#
#	make mutate-random N=300 SEED=7		change statements of src/ at random, one at a time; a
#						test or the model notices: tools/mutate_random.sh

.PHONY: mutants print-test mutate-random print-model-flags
mutants:
	@tools/setup.sh --only mutants
	@MAKE='$(MAKE)' tools/mutants.sh $(if $(filter command line,$(origin ONLY)),'$(ONLY)')

# How the test program TEST (unit/spawn) of this variant is run.
print-test:
	@echo '$(TEST_RUN) $B/tests/$(TEST)'

# What may notice a change that was made at random: natively, of misuse in a debug build, without a libc
# what `make coverage` counts there, and the model's short form.
RANDOM_PROGRAMS = $(TESTS:%=native:%) $(patsubst tests/%.c,debug:%,$(wildcard tests/unit/debug_*.c)) \
	$(COVER_BARE:%=bare:%) $(MODEL_SHORT:%=model:%)
mutate-random:
	@tools/setup.sh --only mutate_random
	@MAKE='$(MAKE)' RANDOM_PROGRAMS='$(RANDOM_PROGRAMS)' \
		tools/mutate_random.sh $(foreach v,N SEED ONLY,$(if $(filter command line,$(origin $v)),$v='$($v)'))

print-model-flags:
	@echo '$(MODEL_CFLAGS_gcc)'
