# SPDX-License-Identifier: MIT
# BARE=1: the library without a libc, and nap-hello. The compiler sees no header of the system,
# only its own (stdint.h, stddef.h, stdarg.h, stdbool.h).

SEAM := bare
comma := ,
NAP_CPPFLAGS := -DNAP_NO_UNWINDING -DNAP_NO_DETECTOR -DNAP_ON_DEMAND -DNAP_NO_WAVES -DNAP_SET_PAUSES=0 -nostdinc -isystem $(shell $(CC) -print-file-name=include) -Isrc/os/bare/include \
	$(NAP_CPPFLAGS)
# A bare image has no tracer and no calls of one, except with TRACE=1.
NAP_CPPFLAGS += $(if $(filter 1,$(TRACE)),,-DNAP_NO_TRACE)
NAP_CFLAGS += -ffreestanding -fno-stack-protector
LIB_CFLAGS := -fPIC -fvisibility=hidden -ftls-model=local-exec $(SECTIONS) $(COVER_LIB_FLAGS)
# A static program that may be loaded anywhere: the program relocates itself
# (src/os/bare/relocate.c). In the file the data begin where the code ends, not at the next page;
# the page that has both is mapped twice.
BARE_LINK = $(CC) $(TARGET_FLAGS) $(CFLAGS) -nostdlib -static-pie -Wl,-e,_start,-z,noexecstack \
	-Wl,--no-dynamic-linker,-z,norelro,-z,noseparate-code,-z,common-page-size=64,--build-id=none \
	$(BARE_SYMBOLS) $(BARE_NOTEXT) $(LDFLAGS)
BARE_SYMBOLS := -Wl,-S,-x
# The linker leaves out what cannot be reached from _start.
BARE_GC := -Wl,--gc-sections
# On RISC-V, binutils 2.40 reserves a relocation for each access of a thread-local variable, and
# leaves the relocation empty: the linker must not refuse it.
BARE_NOTEXT := $(if $(filter riscv64,$(ARCH)),-Wl$(comma)-z$(comma)notext)

BARE_OBJS := $B/obj/arch/clone.o $B/obj/arch/start.o
# The compiler must not turn the loop in memcpy() into a call of memcpy().
$B/obj/os/bare/string.o: LIB_CFLAGS += $(if $(IS_CLANG),,-fno-tree-loop-distribute-patterns)

# To keep images small, files are compiled for size, except the HOT ones, which each task passes
# through: these are compiled as CFLAGS says, and not aligned.
HOT := sched/schedule sched/search sched/run
BARE_SIZE := $(if $(COVER_FLAGS),,-Os -fomit-frame-pointer)
LIB_CFLAGS += $(BARE_SIZE)
$(HOT:%=$B/obj/%.o): LIB_CFLAGS += $(CFLAGS) $(if $(COVER_FLAGS)$(IS_CLANG),, \
	-freorder-blocks-algorithm=simple -fno-align-functions -fno-align-jumps -fno-align-loops)

# The program is compiled as most of the library is.
$B/obj/hello.o: tools/bare/hello.c $B/flags
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(BARE_SIZE) -fPIE -c -o $@ $<

# nap-hello.full has symbols, for nm and debuggers; nap-hello is what is shipped.
$B/nap-hello.full: BARE_SYMBOLS :=
$B/nap-hello.full: $B/obj/hello.o $B/libnap.a
	$(call say,LD,$@)
	$(Q)$(BARE_LINK) $(BARE_GC) -o $@ $^

$B/nap-hello: $B/nap-hello.full
	$(Q)$(OBJCOPY) --strip-all --remove-section=.comment $< $@

.PHONY: bare-run
bare-run: $B/libnap.a $B/nap-hello
	@printf '%s: ' $B/nap-hello
	@$(if $(TOOL_PREFIX),qemu-$(ARCH)) $B/nap-hello
