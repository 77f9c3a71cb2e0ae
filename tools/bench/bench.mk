# SPDX-License-Identifier: MIT
#
# make bench-quick	the table against peers and targets, in about six minutes
# make bench		the same with more repetitions, what lies beyond the table, and the idle
#			protocols side by side: about an hour
# make bench-nap	the programs of nap itself that these two need
# make bench-peers	every peer whose package is here
#
# BENCH_ARGS: arguments of tools/bench/run (--help). bench-quick and bench want an idle machine, and
# say when the machine was not idle. Peers are optional: tools/bench/have.sh knows their packages; a
# peer that is not there is named, and left out. RUSTC=, BENCH_CRATES=, TBB= and CLANG= name
# compilers and libraries that are not the distribution's; the peers built with these are called
# PEER-new, and only `make bench` runs them. DILL= is the prefix of a libdill (include/, lib/), which
# distributions do not have; without it pkg-config is asked.

# Programs of their own, which print a table.
BENCH_TABLES := $(patsubst tools/bench/%.c,$B/bench/%,$(wildcard tools/bench/*.c))

$(BENCH_TABLES): $B/bench/%: tools/bench/%.c $B/libnap.a $B/flags
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -o $@ $< $B/libnap.a -pthread

# Programs that measure one row (tools/bench/common/row.h), all with the compiler's best
# optimisation.
BENCH_CFLAGS := -O3
BENCH_FLAGS := -iquote tools/bench -iquote tools/works
BENCH_COMMON := $(patsubst tools/bench/%.c,$B/bench/obj/%.o,$(wildcard tools/bench/common/*.c)) \
	$(WORKS_OBJS)
BENCH_NAP := $(patsubst tools/bench/%.c,$B/bench/obj/%.o,$(wildcard tools/bench/nap/*.c))

$B/bench/obj/%.o: tools/bench/%.c $B/flags
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(BENCH_FLAGS) $(BENCH_CFLAGS) -c -o $@ $<

# Objects that clang compiles.
BENCH_CLANG_FLAGS = $(filter-out -fno-tree-loop-distribute-patterns,$(COMPILE:$(CC)%=%))
BENCH_CLANG = clang $(BENCH_CLANG_FLAGS)
$B/bench/obj/clang/%.o: tools/bench/%.c $B/flags
	$(call say,CLANG,$@)
	@mkdir -p $(@D)
	$(Q)$(BENCH_CLANG) $(BENCH_FLAGS) $(BENCH_CFLAGS) -c -o $@ $<

BENCH_CXXFLAGS = -std=gnu++17 -fno-strict-aliasing -pthread -Wall -Wextra $(if $(filter 1,$(WERROR)),-Werror) $(NAP_CPPFLAGS)
$B/bench/obj/%.o: tools/bench/%.cc $B/flags
	$(call say,CXX,$@)
	@mkdir -p $(@D)
	$(Q)g++ $(BENCH_CXXFLAGS) $(BENCH_FLAGS) $(BENCH_CFLAGS) -MMD -MP -c -o $@ $<

# $(call bench_program,NAME,OBJECTS,LIBRARIES[,LINKER])
define bench_program
$B/bench/$1: $2
	$$(call say,LD,$$@)
	$$(Q)$(or $4,$$(LINK)) -o $$@ $$^ $3 -lm
endef
BENCH_PEER = $B/bench/obj/peers/$1.o $(BENCH_COMMON)
$(eval $(call bench_program,nap,$(BENCH_NAP) $(BENCH_COMMON) $B/libnap.a))
$(eval $(call bench_program,nap-clang,$(BENCH_NAP:$B/bench/obj/%=$B/bench/obj/clang/%) $(BENCH_COMMON) $B/libnap.a))
# Most peers in C and C++ are shared libraries, which are called through the PLT. So is this nap.
$(eval $(call bench_program,nap-so,$(BENCH_NAP) $(BENCH_COMMON) $B/libnap.so.1,-Xlinker -rpath -Xlinker $(abspath $B)))
$(eval $(call bench_program,futex,$(call BENCH_PEER,futex)))
$(eval $(call bench_program,serial,$(call BENCH_PEER,serial)))
$(eval $(call bench_program,serial-clang,$B/bench/obj/clang/peers/serial.o $(BENCH_COMMON)))

# ---- peers, by name: each is built only when tools/bench/have.sh finds its package

$(eval $(call bench_program,builtin,$(call BENCH_PEER,builtin)))
$(eval $(call bench_program,pthread,$(call BENCH_PEER,pthread)))
$(eval $(call bench_program,serial-std,$(call BENCH_PEER,std),,g++ -pthread))
$(eval $(call bench_program,gomp,$B/bench/obj/peers/gomp.o $(BENCH_COMMON),-fopenmp))
$(eval $(call bench_program,omp,$B/bench/obj/clang/peers/omp.o $(BENCH_COMMON),-fopenmp,clang -pthread))
$(eval $(call bench_program,tbb,$(call BENCH_PEER,tbb) $B/bench/obj/peers/tbb_trees.o \
	$B/bench/obj/peers/tbb_loops.o, \
	$$$$(pkg-config --libs tbb),g++ -pthread))
$(foreach m,glib:glib-2.0 uv:libuv urcu:liburcu-cds ck:ck,$(eval $(call bench_program,$(firstword $(subst :, ,$m)), \
	$(call BENCH_PEER,$(firstword $(subst :, ,$m))),$$$$(pkg-config --libs $(lastword $(subst :, ,$m))))))
$B/bench/uv: $B/bench/obj/peers/uv_timers.o
$B/bench/glib: $B/bench/obj/peers/glib_more.o
$B/bench/obj/peers/glib.o $B/bench/obj/peers/glib_more.o: private BENCH_FLAGS += $$(pkg-config --cflags glib-2.0)

ifneq ($(DILL),)
BENCH_DILL_CFLAGS := -isystem $(DILL)/include
BENCH_DILL_LIBS := -L$(DILL)/lib -Wl,-rpath,$(DILL)/lib -ldill
else
BENCH_DILL_CFLAGS = $$(pkg-config --cflags libdill)
BENCH_DILL_LIBS = $$(pkg-config --libs libdill)
endif
$(eval $(call bench_program,dill,$(call BENCH_PEER,dill),$$(BENCH_DILL_LIBS)))
$B/bench/obj/peers/dill.o: private BENCH_FLAGS += $(BENCH_DILL_CFLAGS)

BENCH_OPENMP = tools/bench/peers/openmp.c tools/bench/peers/openmp_loops.h $B/flags
$B/bench/obj/peers/gomp.o: $(BENCH_OPENMP)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(BENCH_FLAGS) $(BENCH_CFLAGS) -fopenmp -c -o $@ $<
$B/bench/obj/clang/peers/omp.o: $(BENCH_OPENMP)
	$(call say,CLANG,$@)
	@mkdir -p $(@D)
	$(Q)$(BENCH_CLANG) $(BENCH_FLAGS) $(BENCH_CFLAGS) -fopenmp -c -o $@ $<

# The same peers, built with compilers and libraries that are not the distribution's.
export RUSTC CARGO BENCH_CRATES TBB CLANG DILL
$B/bench/omp-new: $(BENCH_OPENMP) $(BENCH_COMMON)
	$(call say,CLANG,$@)
	$(Q)clang=$$(tools/bench/have.sh omp-new path) && \
		lib=$$(dirname $$($$clang -print-file-name=libomp.so)) && \
		$$clang $(BENCH_CLANG_FLAGS) $(BENCH_FLAGS) $(BENCH_CFLAGS) -fopenmp -o $@ $< \
			$(BENCH_COMMON) -L$$lib -Wl,-rpath,$$lib -pthread -lm

$B/bench/tbb-new: $(wildcard tools/bench/peers/tbb*.cc) tools/bench/peers/tbb_trees.h $(BENCH_COMMON)
	$(call say,CXX,$@)
	$(Q)lib=$$(dirname $$(find $(TBB) -name libtbb.so | tail -1)) && \
		g++ $(BENCH_CXXFLAGS) -I$(TBB)/include $(BENCH_FLAGS) $(BENCH_CFLAGS) -o $@ \
			$(filter %.cc,$^) $(BENCH_COMMON) -L$$lib -Wl,-rpath,$$lib -ltbb -lm

BENCH_RUST := rayon tokio serial-rust rayon-new tokio-new serial-rust-new
$(BENCH_RUST:%=$B/bench/%): $B/bench/%: tools/bench/peers/rust.sh tools/bench/peers/rust.inc \
		$(wildcard tools/bench/peers/rust/*.rs) $(WORKS_OBJS)
	$(call say,RUST,$@)
	@mkdir -p $(@D)
	$(Q)tools/bench/peers/rust.sh $* $(abspath $(@D)) $(abspath $(WORKS_OBJS))

$B/bench/go: $(wildcard tools/bench/peers/go/*.go)
	$(call say,GO,$@)
	@mkdir -p $(@D)
	$(Q)GO111MODULE=off GOCACHE=$(abspath $(@D))/go-cache go build -o $@ $^

# The client of the row "echo" is that of the example's test.
$B/bench/echo-client: tests/system/echo_main.c $B/flags
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(BENCH_CFLAGS) -o $@ $<

$B/bench/beside-client $B/bench/exec-client: $B/bench/%-client: tools/bench/client/%.c $B/flags
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(BENCH_FLAGS) $(BENCH_CFLAGS) -o $@ $<

include tools/bench/static.mk
BENCH_OF_NAP := nap nap-so futex serial echo-client beside-client exec-client
.PHONY: bench bench-quick bench-nap bench-peers
bench-nap: $(BENCH_OF_NAP:%=$B/bench/%) $(BENCH_TABLES)

# A peer that cannot be built is left out, like one that is not installed, and the runner says so.
# Each peer is built by a make of its own. Such a make would also build what bench-nap builds, so
# bench-nap comes first.
bench-peers: bench-nap
	@mkdir -p $B/bench
	+$(Q)for p in $$(tools/bench/have.sh); do rm -f $B/bench/$$p.log; \
		if ! tools/bench/have.sh $$p >/dev/null; then rm -f $B/bench/$$p; \
		elif ! $(MAKE) --no-print-directory $B/bench/$$p >$B/bench/$$p.log 2>&1; then \
			rm -f $B/bench/$$p; fi; done
	+$(Q)for p in $(BENCH_STATICS); do \
		[ $$p = nap ] || tools/bench/have.sh $$p >/dev/null || continue; \
		$(MAKE) --no-print-directory $B/bench/static-$$p >$B/bench/static-$$p.log 2>&1 || \
			rm -f $B/bench/static-$$p; done
	+$(Q)! command -v clang >/dev/null || $(MAKE) --no-print-directory $B/bench/nap-clang $B/bench/serial-clang

BENCH_RUN = python3 -B tools/bench/run --programs $B/bench $(BENCH_ARGS)
bench-quick: bench-nap bench-peers
	$(Q)$(BENCH_RUN) --quick
bench: bench-nap bench-peers
	$(Q)$(BENCH_RUN) --full
	$(Q)$B/bench/trickle 15 && $B/bench/protocols 10

-include $(BENCH_TABLES:=.d) $(wildcard $B/bench/obj/*/*.d $B/bench/obj/clang/*/*.d)
