# SPDX-License-Identifier: MIT
#
#	make abi	Records anew what programs rely on, after an intended change, and prints
#			what has changed. tools/abi/libnap.abi has what the library exports, by
#			abidw (Debian: abigail-tools); tools/abi/libnap.layout has what compilers
#			put into programs. Documentation/abi.rst has the rules. tests/system/abi.sh
#			compares both files with the library and the headers.

.PHONY: abi
abi: $B/libnap.so.1
	$(if $(VARIANT),$(error what is written down is the plain library of gcc: make abi))
	$(Q)sh tools/abi/record.sh $B/libnap.so.1 > $B/libnap.abi
	$(Q)[ ! -e tools/abi/libnap.abi ] || abidiff tools/abi/libnap.abi $B/libnap.abi || [ $$? -lt 16 ]
	$(Q)mv $B/libnap.abi tools/abi/libnap.abi
	$(Q)sh tools/abi/layout.sh > $B/libnap.layout
	$(Q)[ ! -e tools/abi/libnap.layout ] || diff -U 1 tools/abi/libnap.layout $B/libnap.layout || true
	$(Q)mv $B/libnap.layout tools/abi/libnap.layout
