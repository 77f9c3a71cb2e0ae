#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether a page of nap-check --html is whole: page.py PAGE

A whole page is well-formed XML, so that every browser builds the same from it; it has no script, and refers to no
other file; each link leads to an id, and no id is there twice; each row of an event leads to a line of the source,
and that line leads back to the row, unless the line has too many marks. Prints what is wrong."""
import sys
import xml.etree.ElementTree as tree

VOID = {"meta", "br", "link", "img", "hr", "input"}
BLOCKS = {"html", "head", "body", "title", "style", "header", "main", "section", "footer", "h1", "h2", "p", "ul", "li",
          "table", "caption", "thead", "tbody", "tr", "th", "td", "div", "a", "code", "b", "meta"}


def ends(text):
    """The names of elements that are closed at once (<NAME/>), which HTML allows for a few names only."""
    return [part.split("<")[-1].split()[0] for part in text.split("/>")[:-1]]


def look(text):
    wrong = []
    if not text.startswith("<!DOCTYPE html>\n"):
        wrong.append("it does not begin as HTML 5")
    wrong += [f"<{name}/>" for name in ends(text) if name not in VOID]
    root = tree.fromstring(text.split("\n", 1)[1])
    every = list(root.iter())
    wrong += [f"<{e.tag}>" for e in every if e.tag not in BLOCKS]
    wrong += [f"{name} of <{e.tag}>" for e in every for name in e.attrib
              if name not in ("id", "class", "href", "lang", "charset", "name", "content", "scope", "colspan")]
    ids = [e.attrib["id"] for e in every if "id" in e.attrib]
    wrong += [f"twice: {name}" for name in set(ids) if ids.count(name) > 1]
    for e in every:
        if e.tag == "a" and e.attrib["href"][1:] not in ids or not e.attrib.get("href", "#").startswith("#"):
            wrong.append("leads nowhere: " + e.attrib["href"])
    style = root.find("head/style").text
    wrong += [word for word in ("url(", "@import", "http") if word in style]
    for media in ("@media print", "prefers-color-scheme: dark"):
        if media not in style:
            wrong.append("no " + media)
    return wrong + links(root)


def links(root):
    wrong = []
    lines = {row.attrib["id"]: [a.attrib["href"] for a in row.iter("a")] + [row[1].text or ""]
             for row in root.iter("tr") if row.attrib.get("id", "").startswith("f")}
    rows = [row for row in root.iter("tr") if row.attrib.get("id", "")[:1] in ("e", "p") and row.attrib["id"] != "end"]
    for row in rows:
        to = [a.attrib["href"][1:] for a in row.iter("a") if a.attrib["href"][1:] in lines]
        if not to:
            continue
        back = lines[to[0]]
        if "#" + row.attrib["id"] not in back and len(back) < 6:
            wrong.append(f"{to[0]} does not lead back to {row.attrib['id']}")
    if not rows or not any(a.attrib["href"][1:] in lines for row in rows for a in row.iter("a")):
        wrong.append("no row leads to the source")
    return wrong


def main():
    try:
        wrong = look(open(sys.argv[1], encoding="utf-8").read())
    except (tree.ParseError, UnicodeDecodeError) as error:
        wrong = [str(error)]
    print("\n".join(wrong), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
