# SPDX-License-Identifier: MIT
#
#	make html		the documents and the manual as HTML: build/html/index.html (Debian: python3-docutils, mandoc)

DOCUMENTS = $(sort $(wildcard Documentation/*.rst tools/*/README.rst tests/*/README.rst))
.PHONY: html
html:
	@for tool in python3 mandoc; do command -v $$tool >/dev/null || { echo "html: no $$tool" >&2; exit 1; }; done
	@python3 -c 'import docutils' 2>/dev/null || { echo 'html: python3 has no docutils (Debian: python3-docutils)' >&2; exit 1; }
	$(Q)rm -rf $(OUT)/html && mkdir -p $(OUT)/html/roff
	$(Q)$(subst $(TO_MAN)/man3,$(OUT)/html/roff,$(call man_pages,$(sort $(wildcard include/nap/*.h))))
	$(Q)cp Documentation/man/*.[17] $(OUT)/html/roff/ && cp tools/html/style.css $(OUT)/html/
	$(Q)PYTHONDONTWRITEBYTECODE=1 python3 tools/html/pages.py $(OUT)/html $(OUT)/html/roff $(DOCUMENTS)
	$(Q)rm -r $(OUT)/html/roff
	@echo $(OUT)/html/index.html
