#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pages.py OUT MANUAL DOCUMENT...

Writes the documents (reStructuredText) and the manual (a directory of pages) as HTML to the directory OUT, with an
index. A document or page that another one names is a link there. Fails if docutils has a complaint, or if a link within
OUT leads nowhere. Needs docutils and mandoc.
"""

import html
import io
import os
import re
import subprocess
import sys

import docutils.core

from links import broken

FRAME = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="{up}style.css">
</head>
<body>
<header><a href="{up}index.html">nap</a></header>
{contents}<main>
{body}
</main>
</body>
</html>
"""


def write(out, name, title, body, contents=""):
    path = os.path.join(out, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(FRAME.format(title=title, body=body, contents=contents, up="../" * name.count("/")))


def page_of(document):
    """Documentation/x.rst is x.html, and tools/check/README.rst is tools-check.html."""
    directory, name = os.path.split(document)
    return (directory.replace("/", "-") if name == "README.rst" else name[:-len(".rst")]) + ".html"


def with_links(body, pages, manual, here):
    """Makes links of the documents and pages of the manual that the text names."""
    up = "../" * here.count("/")

    def document(match):
        name = match.group(2)
        for path in (name, "Documentation/" + name):
            if path in pages and pages[path] != here:
                return f'<a href="{up}{pages[path]}">{match.group(0)}</a>'
        return match.group(0)

    def manual_page(match):
        page = manual.get(match.group(2) + "." + match.group(3))
        return f'<a href="{up}{page}">{match.group(0)}</a>' if page and page != here else match.group(0)

    body = re.sub(r'(<span class="docutils literal">)([\w/-]+\.rst)(</span>)', document, body)
    # A reference may be "nap_call(3)", or, as mandoc writes it, "<b>nap_call</b>(3)".
    return re.sub(r"(<b>|\b)((?:nap|NAP|CHECK)[\w-]*)(?:</b>)?\(([137])\)", manual_page, body)


def without_indent(match):
    """The program without the indent that the directive around it needs."""
    lines = match.group(2).split("\n")
    indent = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)
    return match.group(1) + "\n".join(line[indent:] for line in lines) + "</"


def contents_of(body):
    """A list of the sections of the first two levels."""
    found = re.findall(r'<section id="([^"]+)">\n<h([23])>(.*?)</h', body)
    if len(found) < 3:
        return ""
    lines = [f'<li class="level{level}"><a href="#{name}">{re.sub("<.*?>", "", text)}</a></li>' for name, level, text in found]
    return "<nav><ul>\n" + "\n".join(lines) + "\n</ul></nav>\n"


def write_document(out, document, pages, manual, faults):
    with open(document, encoding="utf-8") as file:
        source = file.read()
    said = io.StringIO()
    parts = docutils.core.publish_parts(source, source_path=document, writer_name="html5", settings_overrides={
        "halt_level": 5, "report_level": 2, "warning_stream": said, "input_encoding": "unicode",
        "initial_header_level": 2, "syntax_highlight": "none"})
    faults.extend(line for line in said.getvalue().splitlines() if line.startswith(document + ":"))
    here = pages[document]
    body = f"<h1>{parts['title']}</h1>\n" + re.sub(r"(<pre[^>]*>(?:<code>)?)(.*?)</", without_indent, parts["body"], flags=re.S)
    write(out, here, re.sub("<.*?>", "", parts["title"]), with_links(body, pages, manual, here), contents_of(body))
    first = re.search(r"<p>(.*?)</p>", parts["body"], re.S)
    about = re.sub(r"</?a\b.*?>", "", first.group(1)) if first else ""
    return parts["title"], re.split(r"(?<=[.:]) (?=[A-Z])", about.replace("\n", " "))[0]


def read_manual(directory):
    """Returns {"nap_call_for.3": "man/nap_call.3.html", ...} and {"nap_call.3": what it is for, ...}."""
    manual, about = {}, {}
    for name in sorted(os.listdir(directory)):
        with open(os.path.join(directory, name), encoding="utf-8") as file:
            text = file.read()
        other = re.match(r"\.so man3/(.*)", text)
        page = other.group(1) if other else name
        manual[name] = f"man/{page}.html"
        if not other:
            title = re.search(r"\.SH NAME\n(.*?)\n\.SH", text, re.S).group(1)
            about[name] = title.split(" \\- ", 1)[-1].replace("\n", " ").replace("\\", "")
    return manual, about


def write_manual(out, directory, pages, manual, about):
    for name in about:
        made = subprocess.run(["mandoc", "-T", "html", "-O", "fragment", os.path.join(directory, name)],
                              check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
        here = manual[name]
        title = "{}({})".format(*name.rsplit(".", 1))
        write(out, here, title, with_links(made, pages, manual, here))


def index(pages, titles, manual, about):
    lines = ["<h1>nap</h1>\n<p>A pool of threads for Linux, in C. These are its documents and its manual.</p>\n<h2>Documents</h2>\n<dl>"]
    with open("README.md", encoding="utf-8") as file:
        readme = file.read().split("## Where to read on")[1]
    # The documents come in the order in which this section of the README names them.
    for document in sorted(titles, key=lambda d: (readme.find(d) % (len(readme) + 1), d)):
        title, first = titles[document]
        lines.append(f'<dt><a href="{pages[document]}">{title}</a></dt>\n<dd>{first}</dd>')
    for section, what in ("7", "Overview"), ("1", "Programs"), ("3", "Calls"):
        lines.append(f"</dl>\n<h2>Manual: {what}</h2>\n<dl class=\"manual\">")
        for name in sorted(about):
            if name.endswith("." + section):
                lines.append(f'<dt><a href="{manual[name]}">{name[:-2]}({section})</a></dt>\n<dd>{html.escape(about[name])}</dd>')
    return "\n".join(lines) + "\n</dl>"


def main(out, directory, *documents):
    pages = {document: page_of(document) for document in documents}
    manual, about = read_manual(directory)
    faults = []
    titles = {document: write_document(out, document, pages, manual, faults) for document in documents}
    write_manual(out, directory, pages, manual, about)
    write(out, "index.html", "nap", index(pages, titles, manual, about))
    faults += broken(out)
    for fault in faults:
        print(f"html: {fault}", file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
