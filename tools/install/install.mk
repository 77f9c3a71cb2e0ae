# SPDX-License-Identifier: MIT
#
#	make install		the library, its headers, its manual, and what finds it: pkg-config, CMake, meson
#	make install-check	nap-check, the model checker, nap-litmus, the laboratory, and nap-trace
#	make uninstall		removes what both would install, with the same directories
#	make uninstall-check
#
# What was built is installed as it is, and what was not built is built first. PREFIX, BINDIR,
# LIBDIR, INCLUDEDIR, DATADIR and MANDIR are the directories, DESTDIR goes in front of each of them. A
# DEBUG, SANITIZE, COVERAGE or YIELDS library has a name of its own (libnap-debug.so.1,
# nap-debug.pc), so that it lies beside the others.

BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
INSTALL_DIRS := PREFIX BINDIR LIBDIR INCLUDEDIR DATADIR MANDIR
$(foreach d,DESTDIR $(INSTALL_DIRS),$(if $(word 2,$($d)),$(error $d=$($d): a directory with a space in its name is not possible)))
$(foreach d,$(if $(filter install% uninstall%,$(MAKECMDGOALS)),$(INSTALL_DIRS)),\
	$(if $(filter /%,$($d)),,$(error $d=$($d) is not absolute))\
	$(if $(or $(findstring &,$($d)),$(findstring |,$($d))),$(error $d=$($d): a directory with & or | in its name is not possible))\
	$(eval override $d := $(abspath $($d))))
TO_BIN = $(DESTDIR)$(BINDIR)
TO_LIB = $(DESTDIR)$(LIBDIR)
TO_INCLUDE = $(DESTDIR)$(INCLUDEDIR)
TO_MAN = $(DESTDIR)$(MANDIR)
# gdb loads a file from this directory when the program has loaded the library of the same name.
TO_GDB = $(DESTDIR)$(DATADIR)/gdb/auto-load$(LIBDIR)

# Not installed: nap/check.h, which is the model checker's; and without BARE=1 nap/bare.h, which
# declares what only the bare library has.
INSTALL_HEADERS := $(filter-out include/nap/check.h $(if $(filter 1,$(BARE)),,include/nap/bare.h), \
	$(wildcard include/nap/*.h include/nap/*.hpp))
# Everybody can read the files that are written here, like the files that install(1) copies. The
# manual's section 3 is made from the headers. $(call man_pages,HEADERS)
man_pages = umask 022 && awk -v to="$(TO_MAN)/man3" -v examples=Documentation/man -v version='nap $(VERSION)' -v date=$(DATED) \
	-f tools/man/headers.awk -f tools/man/roff.awk -f tools/man/pages.awk $1

# $(call way,FROM,TO): the relative path from directory FROM to TO, by GNU's realpath(1)
way = $(or $(shell realpath -sm --relative-to='$1' '$2'),$(error $2: realpath --relative-to gives no path from $1))
# $(call fill_in,NAME,TO): writes tools/install/NAME.in to TO, with this installation's directories
define fill_in
	umask 022 && sed -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@INCLUDEDIR@|$(INCLUDEDIR)|; s|@DATADIR@|$(DATADIR)|' \
		-e 's|@NAME@|$(NAME)|; s|@VERSION@|$(VERSION)|; s|@HEADERS@|$(call way,$(LIBDIR),$(INCLUDEDIR))|' tools/install/$1.in > "$2"
endef

LIBRARIES := $B/libnap.a $(if $(filter 1,$(BARE)),,$B/libnap.so.1)
ARCHIVE := $(if $(filter 1,$(BARE)),libnap-bare.a,lib$(NAME).a)
.PHONY: install install-check uninstall uninstall-check
install: $(if $(filter-out $(wildcard $(LIBRARIES)),$(LIBRARIES)),$(LIBRARIES))
	@newer=$$(find src include arch -newer $B/libnap.a -name '*.[chS]' | head -n 1); [ -z "$$newer" ] || [ -n "$(LIST)" ] || \
		{ echo "install: $$newer is newer than $B/libnap.a: make first, with the options of that build"; exit 1; }
	$(Q)install -d "$(TO_INCLUDE)/nap" "$(TO_LIB)" "$(TO_MAN)/man3" "$(TO_MAN)/man7"
	$(Q)install -m 644 $(INSTALL_HEADERS) "$(TO_INCLUDE)/nap/"
	$(Q)$(call man_pages,$(filter %.h,$(INSTALL_HEADERS)))
	$(Q)install -m 644 Documentation/man/nap.7 "$(TO_MAN)/man7/"
	$(Q)install -m 644 $B/libnap.a "$(TO_LIB)/$(ARCHIVE)"
ifneq ($(BARE),1)
	$(Q)install -d "$(TO_LIB)/pkgconfig" "$(TO_LIB)/cmake/$(NAME)"
	$(Q)install -m 755 $B/libnap.so.1 "$(TO_LIB)/$(SONAME)"
	$(Q)ln -sf $(SONAME) "$(TO_LIB)/lib$(NAME).so"
	$(Q)$(call fill_in,nap.pc,$(TO_LIB)/pkgconfig/$(NAME).pc)
	$(Q)$(call fill_in,nap-static.pc,$(TO_LIB)/pkgconfig/$(NAME)-static.pc)
	$(Q)$(call fill_in,config.cmake,$(TO_LIB)/cmake/$(NAME)/$(NAME)Config.cmake)
	$(Q)install -d "$(TO_GDB)" "$(DESTDIR)$(DATADIR)/nap/gdb/nap_gdb"
	$(Q)install -m 644 tools/gdb/nap.py "$(DESTDIR)$(DATADIR)/nap/gdb/"
	$(Q)install -m 644 tools/gdb/nap_gdb/*.py "$(DESTDIR)$(DATADIR)/nap/gdb/nap_gdb/"
	$(Q)$(call fill_in,gdb.py,$(TO_GDB)/$(SONAME)-gdb.py)
	$(Q)$(call fill_in,version.cmake,$(TO_LIB)/cmake/$(NAME)/$(NAME)ConfigVersion.cmake)
	@test -n "$(DESTDIR)" || echo 'note: run ldconfig, so that programs find $(SONAME)'
endif

# nap-check finds its library by a path relative to its own directory, so that the whole
# installation may be moved.
TOOLS_BUILT := $(OUT)/model/libnapcheck.so $(OUT)/nap-litmus $(OUT)/nap-trace
install-check: $(if $(filter-out $(wildcard $(TOOLS_BUILT)),$(TOOLS_BUILT)),$(TOOLS_BUILT))
	$(Q)install -d "$(TO_BIN)" "$(TO_LIB)" "$(TO_INCLUDE)/nap/compat" "$(TO_MAN)/man1" "$(TO_MAN)/man3"
	$(Q)sed -e 's|\$$here/\.\./lib"|$$here/$(call way,$(BINDIR),$(LIBDIR))"|; s|\$$here/\.\./include"|$$here/$(call way,$(BINDIR),$(INCLUDEDIR))"|' \
		tools/check/nap-check > "$(TO_BIN)/nap-check" && chmod 755 "$(TO_BIN)/nap-check"
	$(Q)install -m 755 $(OUT)/model/libnapcheck.so "$(TO_LIB)/"
	$(Q)install -m 644 include/nap/check.h "$(TO_INCLUDE)/nap/"
	$(Q)install -m 644 tools/check/compat/*.h "$(TO_INCLUDE)/nap/compat/"
	$(Q)$(call man_pages,include/nap/check.h)
	$(Q)install -m 755 $(OUT)/nap-litmus $(OUT)/nap-trace "$(TO_BIN)/"
	$(Q)install -m 644 $(TOOLS_MANUAL) "$(TO_MAN)/man1/"
TOOLS_MANUAL := $(foreach t,nap-check nap-litmus nap-trace,Documentation/man/$t.1)

# Makes an installation in an empty directory first: its files are those to remove.
uninstall uninstall-check:
	+$(Q)stage=$$(mktemp -d) && trap 'rm -rf "$$stage"' EXIT && \
		$(MAKE) $(NO_PRINT) -s $(@:un%=%) DESTDIR="$$stage" LIST=1 && \
		sh tools/install/remove.sh "$$stage" "$(DESTDIR)" "$(LIBDIR)"
