# SPDX-License-Identifier: MIT
#
#	make dist		build/nap-VERSION.tar.gz: the files that git knows, or without git all files of the tree
#				without build/; the same bytes from the same files
#	make deb		Debian packages in build/deb/; DEBEMAIL=, DEBFULLNAME=, HOST=arm64|riscv64

DIST := $(OUT)/nap-$(VERSION).tar.gz
.PHONY: dist deb
dist:
	@mkdir -p $(OUT)
	@if git rev-parse --git-dir >/dev/null 2>&1; then \
		[ -z "$$(git status --porcelain --untracked-files=no)" ] || echo 'dist: note: what is not committed is left out' >&2; \
		git archive --format=tar --prefix=nap-$(VERSION)/ HEAD; \
	else \
		tar -c --sort=name --owner=0 --group=0 --numeric-owner --mtime=@$$(stat -c %Y README.md) \
			--exclude=./build --transform 's,^\.,nap-$(VERSION),' .; \
	fi > $(DIST:.gz=)
	@gzip -9nf $(DIST:.gz=)
	@echo $(DIST)
deb: dist
	@mkdir -p $(OUT)/deb
	+@$(foreach v,DEBEMAIL DEBFULLNAME,$(if $(filter command,$(firstword $(origin $v))),$v='$($v)')) \
		sh tools/debian/deb.sh $(abspath $(DIST)) $(abspath $(OUT)/deb) $(VERSION) $(HOST)
