# SPDX-License-Identifier: MIT
#
#	make soak [TASKS=n | MINUTES=n] [WORKERS=n] [IDLE=NAME]
#
# The long run; its short form is tests/stress/soak.c. --help of the program says more.
.PHONY: soak
soak: $B/tests/soak/main
	@$(TEST_ENV) $(TEST_RUN) $B/tests/soak/main $(TASKS:%=--tasks='%') $(MINUTES:%=--minutes='%') \
		$(WORKERS:%=--workers='%')
