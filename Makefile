# SPDX-License-Identifier: MIT
#
# make                      build/libnap.a and build/libnap.so.1
# make demo                 build and run the demo on /usr/include and /usr/share
# make check                the tests, in about ten minutes (installs what it lacks when it may)
# make check-tree           before a push: the checks that look over the files, in less than a minute
# make check-full           every test in every build
# make coverage             which lines of src/ no test reaches, as text and as HTML
# make bench-quick          figures beside those of other pools and of targets, in six minutes
# make bench                the same and more, in an hour; BENCH_ARGS=--help (tools/bench/bench.mk)
# make faults               the fault campaign: what was injected, lost, hung, leaked
# make image                boot a kernel whose /init is the bare tests (ARCH=, CPUS="1 2 8", IMAGE_ARGS=--help)
# make appliance            the example of such a kernel's only program, and a client of it (ARCH=)
# make install              what was built, with headers and manual; DESTDIR= PREFIX= LIBDIR= INCLUDEDIR= MANDIR=
# make uninstall            removes what `make install` with the same directories has installed
# make model                check every queue and protocol under C11's memory model
# make lab                  litmus tests under each memory model, as they are written and as compiled
# make sim                  speed-up curves on simulated machines (tools/sim/), in less than an hour
# make page                 the laboratory on a page: build/page/nap-litmus.html, for any browser (clang, wasi-libc, lld)
# make mutate               weaken every memory order; something has to notice
# make mutate-random        change statements at random, one at a time; N=100, SEED=date, ONLY=regex of files
# make mutants              put published faults back, one at a time; a test notices; ONLY=regex
# make bare                 the library without libc and nap-hello, for every machine with a compiler, and run
# make soak                 very many tasks, each accounted for; TASKS=n, MINUTES=n, WORKERS=n
# make fuzz                 random programs of calls against a model (clang); MINUTES=10
# make install-check        nap-check, the model checker, nap-litmus, the laboratory, and nap-trace; and BINDIR=
# make uninstall-check      removes these
# make abi                  writes down anew what programs rely on: tools/abi/libnap.abi, tools/abi/libnap.layout
# make html                 the documents and the manual as HTML: build/html/index.html
# make dist                 the source as one archive
# make deb                  packages for Debian; DEBEMAIL=, DEBFULLNAME=, HOST=arm64|riscv64
#
# Options, each of which gets a build directory of its own:
#   CC=clang                another compiler; CC=musl-gcc: on musl (Debian: musl-tools)
#   ARCH=aarch64|riscv64    cross-build
#   ATOMICS=c11             compiler builtins instead of the assembly in arch/
#   LSE=1                   AArch64: single-instruction atomics instead of LL/SC loops
#   BARE=1                  no libc: what `make bare` builds
#   SANITIZE=thread|address|undefined|fuzz
#                           (thread and fuzz imply ATOMICS=c11; give it with address, too)
#   DEBUG=1                 catch misuse: one line, then abort
#   TRACE=1                 with BARE=1: adds nap/trace.h, nap/histogram.h and nap/dump.h, which a hosted library
#                           always has
#   IMAGE=1                 programs for a machine of their own (make image): static, not under qemu-user
#   COVERAGE=1              count what is executed (gcc, native); see make coverage
#   OVERFLOW=, INJECT=      treiber|treiber_fifo|vyukov: the kind of the unbounded queues
#                           (INJECT=treiber is not FIFO: for measurements only)
#   RING=n                  slots in a worker's ring (a power of two, 2..4096)
#   IDLE=NAME               the idle protocol of pools whose configuration names the default one (for tests)
#   MEMBARRIER=6.1.90,6.9   kernels whose membarrier(2) is a full fence in every thread, if the rule in arch/
#                           is wrong for yours (src/os/linux/release.h); 0: all, never: none
#   YIELDS=1                a thread yields now and then around every atomic operation (for tests)
#   WERROR=1                a warning is an error, as in the checks
#   O=DIRECTORY             build there and not in build/ (the libraries, the demo and the tools; not the tests)
#   V=1                     show the commands

MAKEFLAGS += --no-builtin-rules
# Recipes and scripts read what tools print, so tools print it in one language.
export LC_ALL := C
# Each make writes "PID FILE" for each file that it makes: tools/check.sh and
# tests/system/targets.sh read these lines.
ifdef MADE_LOG
MAKE_PID := $(shell echo $$PPID)
SHELL = $(file >>$(MADE_LOG),$(MAKE_PID) $(abspath $@))/bin/sh
endif
# These goals run makes of their own, which may make files that another goal of the same command
# line also makes.
ifneq ($(word 2,$(MAKECMDGOALS)),)
ifneq ($(filter appliance bare bench% check% coverage faults fuzz% image ktap-% model% mut% part-%, \
	$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif
endif
.DELETE_ON_ERROR:
.SUFFIXES:
.DEFAULT_GOAL := all

VERSION := $(shell awk '/^.define NAP_VERSION_(MAJOR|MINOR|PATCH) / { printf "%s%s", dot, $$3; dot = "." }' \
	include/nap/version.h)
# the date in the pages of the manual's section 3
DATED := 2026-11-28
PREFIX ?= /usr/local

HOST_ARCH := $(shell uname -m)
ARCH ?= $(HOST_ARCH)
ifeq ($(filter $(ARCH),x86_64 aarch64 riscv64),)
$(error ARCH=$(ARCH) is not supported; use x86_64, aarch64 or riscv64)
endif
# These count on make's command line only: in an environment, DEBUG, TEST or N may be meant for
# another program.
OPTIONS_HERE := ATOMICS SANITIZE OVERFLOW INJECT LSE BARE TRACE DEBUG IDLE YIELDS COVERAGE IMAGE V RING MEMBARRIER HASTY BY_ROOM WERROR O \
	WITHOUT TEST ONLY N SEED OUT OPTIONS MUTATE PATHS TASKS MINUTES WORKERS FUZZ
$(foreach v,$(OPTIONS_HERE),$(if $(filter environment%,$(origin $v)),$(eval $v :=)))
# $(call one_of,OPTION,CHOICES): ends make unless OPTION is unset or one of the choices
one_of = $(if $(word 2,$($1))$(filter-out $2,$($1)),$(error $1=$($1) is not known; use one of: $2))
$(call one_of,ATOMICS,c11)
$(call one_of,SANITIZE,thread address undefined fuzz)
$(call one_of,OVERFLOW,treiber treiber_fifo vyukov)
$(call one_of,INJECT,treiber treiber_fifo vyukov)
$(call one_of,LSE,0 1)
$(call one_of,BARE,0 1)
$(call one_of,DEBUG,0 1)
# The names of the protocols, and their enumerators NAP_IDLE_NAME, from the table in
# src/idle/protocols.h.
IDLES := $(shell sed -n 's/^\t[A-Z]*([A-Z]*, \([a-z]*\)).*/\1/p' src/idle/protocols.h)
idle_enum = $(shell sed -n 's/^\t[A-Z]*(\([A-Z]*\), $1).*/NAP_IDLE_\1/p' src/idle/protocols.h)
$(call one_of,IDLE,$(IDLES))
$(call one_of,YIELDS,0 1)
$(call one_of,COVERAGE,0 1)
$(call one_of,IMAGE,0 1)
$(call one_of,TRACE,0 1)
$(call one_of,V,0 1)
$(call one_of,WERROR,0 1)
$(call one_of,BY_ROOM,0 1)
$(call one_of,RING,2 4 8 16 32 64 128 256 512 1024 2048 4096)
ifneq ($(filter-out never $(foreach n,0 1 2 3 4 5 6 7 8 9,$n%),$(MEMBARRIER))$(word 2,$(MEMBARRIER)),)
$(error MEMBARRIER=$(MEMBARRIER) is not known; use versions of Linux, 0 or never)
endif
ifeq ($(LSE)-$(filter-out aarch64,$(ARCH)),1-$(ARCH))
$(error LSE=1 is for ARCH=aarch64)
endif
ifneq ($(filter 1,$(BARE)),)
ifneq ($(SANITIZE)$(ATOMICS)$(filter 1,$(YIELDS)),)
$(error BARE=1 goes without a libc, so without SANITIZE, ATOMICS and YIELDS)
endif
endif
# Sanitizers do not see the assembly of arch/. ThreadSanitizer would report races between accesses
# that the assembly orders.
ifneq ($(filter thread fuzz,$(SANITIZE)),)
override ATOMICS := c11
endif

# The compiler: `make CC=...` wins, else gcc, with a prefix when cross-building.
ifeq ($(origin CC),default)
CC := gcc
endif
TOOL_PREFIX := $(if $(filter-out $(HOST_ARCH),$(ARCH)),$(ARCH)-linux-gnu-)
IS_CLANG := $(findstring clang,$(notdir $(CC)))
IS_MUSL := $(findstring musl,$(notdir $(CC)))
ifneq ($(TOOL_PREFIX),)
ifneq ($(IS_CLANG),)
TARGET_FLAGS := --target=$(ARCH)-linux-gnu
else ifeq ($(CC),gcc)
override CC := $(TOOL_PREFIX)gcc
endif
# qemu-user finds the target's libc under this prefix.
RUN := qemu-$(ARCH) -L /usr/$(ARCH)-linux-gnu
endif
# These goals begin with tools/setup.sh, which installs a compiler that is lacking.
INSTALLS_COMPILER := image appliance
ifneq ($(filter-out $(INSTALLS_COMPILER),$(or $(MAKECMDGOALS),all)),)
ifeq ($(IS_CLANG)$(filter $(ARCH)-%,$(shell $(CC) -dumpmachine 2>/dev/null)),)
ifeq ($(CC),$(TOOL_PREFIX)gcc)
$(error no $(CC); what installs it: tools/setup.sh --only $(or $(filter-out $(HOST_ARCH),$(ARCH)),native))
endif
$(error CC=$(CC) does not compile for ARCH=$(ARCH); set both, or leave CC to be chosen)
endif
endif
# Asks the compiler for which libc it builds, because its name may not say it. Only glibc defines
# __GLIBC__.
NOT_GLIBC := $(if $(filter 1,$(BARE)),,$(filter __GLIBC__, \
	$(shell echo __GLIBC__ | $(CC) $(TARGET_FLAGS) -E -P -include features.h -x c - 2>/dev/null)))
ifneq ($(and $(NOT_GLIBC),$(IS_MUSL),$(SANITIZE)),)
$(error SANITIZE=$(SANITIZE) is not for CC=$(CC): the sanitizers here are built for glibc)
endif
# musl-gcc searches only musl's directory of headers. Tests and the demo also need the kernel's
# headers, which lie beside glibc's. So the directories of both are searched last.
KERNEL_HEADERS := $(if $(IS_MUSL),-idirafter /usr/include -idirafter /usr/include/$(HOST_ARCH)-linux-gnu)
AR := $(TOOL_PREFIX)ar
OBJCOPY := $(TOOL_PREFIX)objcopy
OBJDUMP := $(TOOL_PREFIX)objdump

VARIANT := $(strip $(filter-out $(HOST_ARCH),$(ARCH)) $(if $(filter 1,$(BARE)),bare$(if $(filter 1,$(TRACE)),-trace)) \
	$(IS_CLANG) $(IS_MUSL) $(ATOMICS) $(if $(filter 1,$(LSE)),lse) $(SANITIZE) \
	$(if $(filter 1,$(COVERAGE)),coverage) $(if $(filter 1,$(DEBUG)),debug) \
	$(OVERFLOW:%=overflow-%) $(INJECT:%=inject-%) $(RING:%=ring%) $(IDLE) \
	$(MEMBARRIER:%=membarrier-%) \
	$(if $(filter 1,$(YIELDS)),yields) $(if $(filter 1,$(IMAGE)),image))
empty :=
space := $(empty) $(empty)
ifneq ($(word 2,$O),)
$(error O=$O: a directory with a space in its name is not possible)
endif
ifneq ($(and $O,$(filter bench% check% coverage faults fuzz% image appliance ktap-% lab litmus model% mut% part-% soak,$(MAKECMDGOALS))),)
$(error O=$O is for the libraries, the demo and the tools; tests build in build/)
endif
OUT := $(or $(O:%/=%),build)
B := $(OUT)$(if $(VARIANT),/$(subst $(space),-,$(VARIANT)))
# A library that is built to find faults has a name of its own, so that it can be installed beside
# the usual one.
NAME := nap$(if $(filter 1,$(DEBUG)),-debug)$(SANITIZE:%=-%)$(if $(filter 1,$(COVERAGE)),-coverage)$(if $(filter 1,$(YIELDS)),-yields)
SONAME := lib$(NAME).so.1

LL_OR_LSE := $(if $(filter 1,$(LSE)),lse,llsc)
ATOMIC_DIRS := $(if $(ATOMICS),arch/c11,arch/$(ARCH) \
	$(if $(filter aarch64,$(ARCH)),arch/aarch64/$(LL_OR_LSE)))
# This directory is searched before ATOMIC_DIRS: its header includes theirs, and adds yields.
YIELD_DIR := $(if $(filter 1,$(YIELDS)),arch/yield)
WARN := -Wall -Wextra $(if $(filter 1,$(WERROR)),-Werror) -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	-Wvla
ifneq ($(SANITIZE),)
SAN_FLAGS := -fsanitize=$(SANITIZE:fuzz=fuzzer-no-link,address,undefined) -fno-omit-frame-pointer \
	$(if $(filter undefined fuzz,$(SANITIZE)),-fno-sanitize-recover=all)
ifeq ($(SANITIZE)-$(IS_CLANG),thread-)
WARN += -Wno-tsan
endif
endif
ifeq ($(SANITIZE)-$(IS_CLANG),fuzz-)
$(error SANITIZE=fuzz is for CC=clang)
endif
# COVERAGE=1 counts by gcov. The library keeps functions that no program calls, so that they count
# as not reached.
ifeq ($(COVERAGE),1)
ifneq ($(IS_CLANG)$(IS_MUSL)$(TOOL_PREFIX)$(SANITIZE),)
$(error COVERAGE=1 is for gcc on this machine, with its own libc and without SANITIZE)
endif
CFLAGS ?= -O0 -g
COVER_FLAGS := -fprofile-update=atomic $(if $(filter 1,$(BARE)),-fprofile-arcs -ftest-coverage \
	-fprofile-info-section=gcov_info,--coverage)
COVER_LIB_FLAGS := -fkeep-inline-functions -fkeep-static-functions
endif
# Unwinders find a description of every frame (src/worker/leaving.h). Not every compiler writes
# descriptions by default. Without a libc nothing unwinds the stack, and the descriptions would be a
# sixth of a program.
ifeq ($(BARE),1)
UNWIND := -fno-asynchronous-unwind-tables -fno-unwind-tables
else
UNWIND := -fasynchronous-unwind-tables
endif
MARCH := $(if $(filter 1,$(LSE)),-march=armv8.1-a)

# NDEBUG is never defined. The asserts of src/ check the runtime's own state where such a check
# costs nothing. tests/tests.mk explains HASTY=1.
CFLAGS ?= $(if $(and $(filter 1,$(HASTY)),$(filter thread address,$(SANITIZE))),-O1,-O2) $(if $(and $(filter 1,$(HASTY)),$(VARIANT)),$(if $(SANITIZE),-g1,-g0),-g)
# No test reads the debug information of tools, so a hasty build leaves it out.
TOOL_DEBUG := $(if $(filter 1,$(HASTY)),-g0,-g)
NAP_CPPFLAGS := -Iinclude -iquote src $(YIELD_DIR:%=-I%) $(ATOMIC_DIRS:%=-I%) -Iarch/$(ARCH) \
	-D_GNU_SOURCE $(if $(filter 1,$(DEBUG)),-DNAP_DEBUG) $(if $(RING),-DNAP_RING_SIZE=$(RING)) \
	$(if $(IDLE),-DNAP_IDLE_FIRST=$(call idle_enum,$(IDLE))) $(if $(filter thread,$(SANITIZE)),-DJOIN_BY_CLOCK=0) \
	$(MEMBARRIER:%=-DNAP_MEMBARRIER_SINCE='"%"') \
	$(if $(filter -flto%,$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS)),-DNAP_LTO) \
	$(if $(OVERFLOW),-DNAP_OVERFLOW=$(OVERFLOW)) $(if $(INJECT),-DNAP_INJECT=$(INJECT))
NAP_CFLAGS := -std=gnu11 -fno-strict-aliasing -fno-common $(if $(filter 1,$(BARE)),,-pthread) \
	$(UNWIND) $(WARN) $(TARGET_FLAGS) $(MARCH) $(SAN_FLAGS) $(COVER_FLAGS)
# On glibc the library's thread-local variables are initial-exec, because glibc keeps room for such
# variables of libraries that dlopen() loads. Descriptors or __tls_get_addr() would make
# nap_schedule() longer. In a library that dlopen() has loaded, descriptors and __tls_get_addr()
# also allocate at a thread's first access, which may be in a signal handler. musl keeps no such
# room, and refuses to load a library that needs it. With descriptors, musl allocates in dlopen(),
# for all threads. gcc for x86-64 uses descriptors only when asked, gcc for AArch64 by default.
TLS_FLAGS := $(if $(NOT_GLIBC),$(if $(IS_CLANG),,$(if $(filter x86_64,$(ARCH)),-mtls-dialect=gnu2)), \
	-ftls-model=initial-exec)
# Each function and each variable has a section of its own, so that a static program linked with
# --gc-sections contains only those that it uses.
SECTIONS := -ffunction-sections -fdata-sections
# gcc for x86-64 clears a struct of more than 64 bytes, such as the record of a wait or of a loop,
# by `rep stos`, which takes 10 ns to begin. With this option it uses vector stores up to 512 bytes.
CLEAR_BY := vector_loop:512:noalign,rep_8byte:-1:noalign
CLEAR_FLAGS := $(if $(IS_CLANG)$(filter 1,$(BARE)),,$(if $(filter x86_64,$(ARCH)),-mmemset-strategy=$(CLEAR_BY)))
LIB_CFLAGS := -fPIC -fvisibility=hidden $(TLS_FLAGS) $(CLEAR_FLAGS) $(SECTIONS) $(COVER_LIB_FLAGS)
COMPILE = $(CC) $(NAP_CPPFLAGS) $(CPPFLAGS) $(NAP_CFLAGS) $(CFLAGS) $(UNWIND) -MMD -MP
LINK = $(CC) -pthread $(if $(filter 1,$(IMAGE)),-static) $(TARGET_FLAGS) $(SAN_FLAGS) $(COVER_FLAGS) $(CFLAGS) $(LDFLAGS)

Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf '  %-7s %s\n' $(1) $(2))

# Probes for other programs' tracers, if the header is there (Debian: systemtap-sdt-dev).
HAS_PROBES := $(if $(filter 1,$(BARE)),,$(filter 3,$(shell printf '\043if __has_include(<sys/sdt.h>)\n3\n\043endif\n' | \
	$(CC) $(TARGET_FLAGS) -E -P -x c - 2>/dev/null)))
NAP_CPPFLAGS += $(if $(HAS_PROBES),-DNAP_PROBES)

SEAM := hosted
ifeq ($(BARE),1)
include src/os/bare/bare.mk
endif
# The rooms, which are the folders of src/. Each uses only those above it: Documentation/design.rst,
# section "Rooms". In a room, hosted/ has the files that need a libc, bare/ has the files that
# replace them without a libc, and linux/ has files that both builds use.
ROOMS := arch
ROOMS += os
ROOMS += sync
ROOMS += queue
ROOMS += worker
ROOMS += thread
ROOMS += idle
ROOMS += sched
ROOMS += wait
ROOMS += life
ROOMS += trace
ROOMS += measure
ROOMS += fork
ROOMS += parallel
ROOMS += async async/fiber async/timer async/io
ROOMS += kit
ROOMS += dump
# A bare library has traces, measures and dumps only with TRACE=1.
WITHOUT_ROOMS := $(if $(filter 1,$(BARE)),$(if $(filter 1,$(TRACE)),,trace measure dump))
LIB_SRCS := $(wildcard $(foreach r,$(filter-out $(WITHOUT_ROOMS),$(ROOMS)),src/$r/*.c src/$r/linux/*.c src/$r/$(SEAM)/*.c))
ARCH_OBJS := $B/obj/arch/context.o
# BY_ROOM=1: the files of a room are compiled as one, in a third of the time. For builds that are only there for their
# tests. tests/system/floors.sh tests that no two files of a room define the same name. A file stays apart if a program
# of tests/ replaces its functions (tests/wrap.h), if such a program compiles the file itself (SRC- in tests/tests.mk),
# or if the file has flags of its own. A program that includes a file that is not apart cannot be linked (unit/races%).
APART := src/os/% src/thread/% src/trace/% src/async/fiber/mutex.c src/fork/call.c src/kit/outline.c $(HOT:%=src/%.c)
# $(call of_room,ROOM,SOURCES): the SOURCES of the ROOM that are compiled as one
of_room = $(filter-out $(APART),$(filter src/$1/%,$2))
# $(call objects,DIRECTORY,SOURCES,ROOMS): the objects of the SOURCES in DIRECTORY; each of the ROOMS is one object
objects = $(patsubst src/%.c,$1/%.o,$(filter-out $(foreach r,$3,$(call of_room,$r,$2)),$2)) \
	$(foreach r,$3,$(if $(call of_room,$r,$2),$1/$r-as-one.o))
# Of the bare libraries in `make check` only this machine's is compiled file by file.
ifeq ($(HASTY)-$(filter 1,$(BARE))-$(IS_CLANG),1-1-)
BY_ROOM := $(or $(BY_ROOM),$(if $(TOOL_PREFIX),1))
endif
ROOMS_TO_JOIN := queue worker sched wait life measure fork parallel async kit dump
ROOMS_AS_ONE := $(if $(filter 1,$(BY_ROOM)),$(ROOMS_TO_JOIN))
# $(call write_joined,FILES): a recipe's line that writes $@, which includes the files. If $@ would not change, it
# stays as old as it is.
write_joined = @mkdir -p $(@D) && printf '\043include "%s"\n' $(patsubst src/%,%,$1) > $@.new && \
	if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
LIB_OBJS := $(call objects,$B/obj,$(LIB_SRCS),$(ROOMS_AS_ONE)) \
	$(ARCH_OBJS) $(BARE_OBJS) $(YIELD_DIR:%=$B/obj/%/yield.o)

.PHONY: all
all: $B/libnap.a $(if $(filter 1,$(BARE)),$(if $(COVER_FLAGS),,$B/nap-hello),$B/libnap.so.1)

# If the flags have changed, everything in the build directory is built anew. -Werror does not
# count: it changes no object.
BUILT_BY = $(filter-out -Werror,$(COMPILE) $(LIB_CFLAGS) $(LINK)) $(if $(ROOMS_AS_ONE),by room)
$B/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(BUILT_BY)' | cmp -s - $@ || echo '$(BUILT_BY)' > $@
.PHONY: FORCE
FORCE:

# Exceptions pass through nap_call(), so its object is built for them. The flag matters with
# link-time optimisation.
ifneq ($(BARE),1)
$B/obj/fork/call.o: private UNWIND += -fexceptions
endif

$B/obj/%.o: src/%.c $B/flags
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(LIB_CFLAGS) -c -o $@ $<

$B/obj/arch/%.o: arch/%.c $B/flags
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(LIB_CFLAGS) -c -o $@ $<

$(ARCH_OBJS) $(BARE_OBJS): $B/obj/arch/%.o: arch/$(ARCH)/%.S $B/flags
	$(call say,AS,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(TARGET_FLAGS) $(CFLAGS) -g -c -o $@ $<

$B/obj/%-as-one.o: $B/obj/%-as-one.c $B/flags
	$(call say,CC,$@)
	$(Q)$(COMPILE) $(LIB_CFLAGS) -c -o $@ $<

.PRECIOUS: $B/obj/%-as-one.c
$B/obj/%-as-one.c: FORCE
	$(call write_joined,$(call of_room,$*,$(LIB_SRCS)))

$B/libnap.a: $(LIB_OBJS)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# The library is never unloaded (-z nodelete): it has functions that are called when a thread ends
# or forks.
$B/libnap.so.1: $(LIB_OBJS) src/libnap.map
	$(call say,LD,$@)
	$(Q)$(LINK) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=src/libnap.map \
		$(if $(SANITIZE),,-Wl,-z,defs) -Wl,-z,relro -Wl,-z,now -Wl,-z,nodelete \
		-o $@ $(LIB_OBJS)
	$(Q)ln -sf libnap.so.1 $(@D)/libnap.so
	$(if $(filter libnap.so.1,$(SONAME)),,$(Q)ln -sf libnap.so.1 $(@D)/$(SONAME))
	$(if $(HAS_PROBES),,@echo '  note: without probes, because there is no sys/sdt.h (Debian: systemtap-sdt-dev)')

# Every machine, or the one that ARCH names; this machine first. Machines without a compiler are
# left out below.
BARE_ARCHS := $(if $(filter command environment,$(origin ARCH)),$(ARCH), \
	$(HOST_ARCH) $(filter-out $(HOST_ARCH),x86_64 aarch64 riscv64))
.PHONY: bare $(BARE_ARCHS:%=bare-%)
bare: $(BARE_ARCHS:%=bare-%)
$(BARE_ARCHS:%=bare-%): bare-%:
	+$(Q)if [ $* = $(HOST_ARCH) ] || [ -n '$(IS_CLANG)' ] || \
			command -v $*-linux-gnu-gcc >/dev/null; then \
		$(MAKE) --no-print-directory BARE=1 ARCH=$* bare-run && \
			{ [ $* != riscv64 ] || $(MAKE) --no-print-directory BARE=1 TRACE=1 ARCH=$* bare-run; }; \
	else \
		echo 'bare: $*: left out, there is no $*-linux-gnu-gcc' \
			'(Debian: gcc-$(subst _,-,$*)-linux-gnu)'; \
	fi

.PHONY: clean
clean:
	rm -rf build

include tools/works/works.mk
include tools/demo/demo.mk
include tools/bench/bench.mk
include tests/coverage.mk
include tests/tests.mk
include tools/image/image.mk
include tests/model/model.mk
include tools/check/nap/nap.mk
include tools/litmus/litmus.mk
include tools/litmus/page/page.mk
include tools/sim/sim.mk
include tools/trace/trace.mk
include tools/abi/abi.mk
include tools/install/install.mk
include tools/html/html.mk
include tools/debian/deb.mk
include tests/mutants/mutants.mk

-include $(LIB_OBJS:.o=.d)
