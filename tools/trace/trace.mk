# SPDX-License-Identifier: MIT
#
# nap-trace (tools/trace/), a tool of this machine, whatever the library is built for.
#
#	make build/nap-trace
#	make trace-pictures	timelines of three programs, build/pictures/*.html, and *.png where
#				Chromium is; PICTURES="demo hashd"
#
# Its tests are trace_tool.sh, trace_cut.sh and trace_programs.sh of tests/system/, and tests/page/
# for the page in a browser.

T := $(OUT)/trace
# The layers, from the bottom. tests/model/floors.sh checks them.
TRACE_FLOORS := file lanes report write tool
TRACE_SRCS := $(wildcard $(TRACE_FLOORS:%=tools/trace/%/*.c))
TRACE_OBJS := $(TRACE_SRCS:tools/trace/%.c=$T/%.o)
TRACE_CFLAGS = $(TOOL_CFLAGS) -O2 $(TOOL_DEBUG) -std=gnu11 -D_GNU_SOURCE $(WARN) -Iinclude -iquote tools/trace -Wa,-Itools/trace -MMD -MP

$T/%.o: tools/trace/%.c tools/trace/trace.mk
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)gcc $(TRACE_CFLAGS) -c -o $@ $<

# The page is part of the tool.
$T/write/page.o: $(wildcard tools/trace/write/*.html tools/trace/write/*.js)

$(OUT)/nap-trace: $(TRACE_OBJS)
	$(call say,LD,$@)
	$(Q)gcc $(TOOL_LDFLAGS) -o $@ $(TRACE_OBJS)

.PHONY: trace-pictures
trace-pictures: build/nap-trace $B/nap-demo $B/libnap.a
	$(Q)CC=$(CC) NAP_BUILD=$B sh tools/trace/pictures.sh build/pictures $(PICTURES)

-include $(TRACE_OBJS:.o=.d)
