# SPDX-License-Identifier: MIT
#
# Faults that published designs have had, put back into a copy of the source one at a time.
#
#	make mutants [ONLY=regex]	a line each: the test that notices; exits 1 if one survives
#
# The patches beside this file say which fault, and which test has to notice: tools/mutants.sh.

.PHONY: mutants print-test
mutants:
	@tools/setup.sh --only mutants
	@MAKE='$(MAKE)' tools/mutants.sh $(if $(filter command line,$(origin ONLY)),'$(ONLY)')

# How the test program TEST (unit/spawn) of this variant is run.
print-test:
	@echo '$(TEST_RUN) $B/tests/$(TEST)'
