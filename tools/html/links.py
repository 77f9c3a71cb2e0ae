#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""links.py DIRECTORY: prints the links of its pages that lead nowhere, and fails if there are any."""

import html.parser
import os
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.names = [], set()
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("href", "src"):
                self.links.append(value)
            elif name == "id" or (name == "name" and tag == "a"):
                self.names.add(value)


def broken(directory):
    """Returns a line for each link within the directory that has no file, or no such place in the file."""
    pages = {}
    for where, _, names in os.walk(directory):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(where, name)
                pages[path] = Page(path)
    faults = []
    for path, page in sorted(pages.items()):
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme:
                continue
            to = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(parts.path))) if parts.path else path
            if not os.path.exists(to):
                faults.append(f"{path}: {link}: no such file")
            elif parts.fragment and urllib.parse.unquote(parts.fragment) not in pages[to].names:
                faults.append(f"{path}: {link}: no such place there")
    return faults


if __name__ == "__main__":
    found = broken(sys.argv[1])
    print("\n".join(found))
    sys.exit(1 if found else 0)
