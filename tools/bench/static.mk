# SPDX-License-Identifier: MIT
#
# The smallest static programs (tools/bench/static/), without debug information; their sizes are a row
# of the table: build/bench/static-PEER. Each is built together with its peer, if it can be linked
# statically. rust.sh builds those in Rust.

BENCH_STATIC = $(COMPILE) -O2 -static -s
$B/bench/static-nap: tools/bench/static/nap.c $B/libnap.a $B/flags
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(BENCH_STATIC) -o $@ $< $B/libnap.a -pthread

$B/bench/static-pthread: tools/bench/static/pthread.c $B/flags
	$(call say,LD,$@)
	$(Q)$(BENCH_STATIC) -o $@ $< -pthread

$B/bench/static-gomp: tools/bench/static/gomp.c $B/flags
	$(call say,LD,$@)
	$(Q)$(BENCH_STATIC) -fopenmp -o $@ $< 2>/dev/null

# The linker warns, for both, of what glibc loads at run time even into static programs.
$B/bench/static-uv $B/bench/static-glib: $B/bench/static-%: tools/bench/static/%.c $B/flags
	$(call say,LD,$@)
	$(Q)module=$(if $(filter uv,$*),libuv-static,glib-2.0) && \
		$(BENCH_STATIC) $$(pkg-config --cflags $$module) -o $@ $< \
			$$(pkg-config --static --libs $$module) -pthread 2>/dev/null

$B/bench/static-go: tools/bench/static/go.go
	$(call say,GO,$@)
	$(Q)CGO_ENABLED=0 GO111MODULE=off GOCACHE=$(abspath $(@D))/go-cache go build -ldflags='-s -w' -o $@ $<

BENCH_STATICS := nap pthread gomp uv glib go

-include $(BENCH_STATICS:%=$B/bench/static-%.d)
