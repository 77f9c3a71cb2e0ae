# SPDX-License-Identifier: MIT
#
#	make coverage		run unit, fault and stress tests and the system tests that use the
#				library in builds that count lines (COVERAGE=1), from scratch, with libc,
#				without, and with DEBUG=1; then say what was not reached:
#				tools/coverage.sh
#
# This file is read before tests.mk, whose programs are linked with COVER_EXIT and COVER_LINK.

ifeq ($(COVERAGE),1)
ifeq ($(BARE),1)
COVER_DIR := $B/gcov
COVER_EXIT := $B/tests/coverage_bare.o
COVER_COMPILE = $(TEST_CPPFLAGS) -fPIE -fno-builtin -DNAP_COVER_DIR='"$(CURDIR)/$(COVER_DIR)"'
COVER_LINK := -Wl,--wrap=nap_bare_exit -lgcov
else
COVER_EXIT := $B/tests/coverage_exit.o
COVER_LINK := -Wl,--wrap=_exit,--wrap=_Exit,--wrap=quick_exit,--wrap=abort,--wrap=__gcov_fork
endif

# The files of COVER_EXIT are not counted themselves, so their fork() is the libc's.
$(COVER_EXIT): $B/tests/%.o: tests/%.c $B/flags
	@mkdir -p $(@D)
	$(Q)$(filter-out $(COVER_FLAGS),$(COMPILE)) $(COVER_COMPILE) -c -o $@ $<
endif

COVER_BUILDS := build/coverage build/coverage-debug build/bare-coverage
# Scripts of tests/system that are run to be counted. The other scripts build something themselves,
# or run no code of nap; demo_forks would take minutes, because its threads all count at the same
# few places.
COVER_SYSTEM := $(foreach t,demo idle nproc,tests/system/$t.sh)
# Programs that are run without a libc.
COVER_BARE := $(patsubst tests/%.c,%,$(wildcard tests/unit/bare_*.c)) unit/fork unit/spawn fault/arguments
# The checker's header has no code of nap's.
COVER_NOT := include/nap/check.h
COVER_SOURCES := $(filter-out $(COVER_NOT),$(sort $(foreach d,src src/* src/*/* src/*/*/* include/nap,$(wildcard $d/*.[ch]))))

.PHONY: coverage part-coverage part-coverage-bare
coverage:
	+@MAKE='$(MAKE)' tools/check.sh coverage; tests=$$?; \
		tools/coverage.sh build/coverage '$(COVER_BUILDS)' $(COVER_SOURCES) && exit $$tests

# The debug build runs only the tests that it adds, the bare build those of COVER_BARE.
part-coverage:
	@rm -rf $(COVER_BUILDS)
	+@$(MAKE) $(NO_PRINT) part-one COVERAGE=1
	+@$(MAKE) $(NO_PRINT) part-system COVERAGE=1 SYSTEM_SCRIPTS='$(COVER_SYSTEM)'
	+@$(MAKE) $(NO_PRINT) part-one COVERAGE=1 DEBUG=1 \
		TESTS='$(patsubst tests/%.c,%,$(wildcard tests/unit/debug_*.c))'
	+@$(MAKE) $(NO_PRINT) part-coverage-bare COVERAGE=1 BARE=1
	@tools/coverage_merge.sh build/bare-coverage/gcov

part-coverage-bare:
	$(call run_programs,$(LABEL),$(filter $(COVER_BARE),$(TESTS)),,$(TEST_RUN))
