#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the page of `make lab` (nap-litmus --html, tools/litmus/lab.html): verdicts link to
# pictures; listings, and what a compiler has removed, are shown. KTAP.

. "$(dirname "$0")/../system/check.inc"
cd "$(dirname "$0")/../.." || exit 1
lab=$PWD/build/nap-litmus
gallery=build/gallery

echo "TAP version 13"
echo "1..10"

$lab --quiet --html="$tmp/part" --compile=gcc:aarch64 --compile=clang:x86_64 $gallery/LB+data-zero.litmus \
	$gallery/LB+ctrl-both.litmus $gallery/LB+datas.litmus $gallery/MP+rel+acq.litmus $gallery/SB+xchgs.litmus \
	$gallery/X86_64-SB.litmus $gallery/MP+rcu.litmus $gallery/MP+locks.litmus >"$tmp/out" 2>"$tmp/err"
[ $? -le 1 ] && [ ! -s "$tmp/err" ]
check "a page of eight tests"
sed -e "/^@GALLERY@/{r $tmp/part" -e 'd}' -e '/^@[A-Z]*@/d' tools/litmus/lab.html >"$tmp/page.html"
python3 - "$tmp/page.html" >"$tmp/out" 2>"$tmp/err" <<'END'
import re, sys
from html.parser import HTMLParser

class Page(HTMLParser):
    """Finds elements that are not closed in order, ids that are not the only ones, links that lead nowhere."""
    void = {"meta", "link", "br", "hr", "img", "input"}

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.faults = [], [], [], []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if "id" in attrs:
            self.ids.append(attrs["id"])
        self.links += [attrs[name] for name in ("href", "src") if name in attrs]
        if tag not in self.void:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        if "id" in dict(attrs):
            self.ids.append(dict(attrs)["id"])

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append("</%s> closes another" % tag)

page = Page()
page.feed(open(sys.argv[1], encoding="utf-8").read())
page.faults += ["%s is open" % tag for tag in page.open]
page.faults += ["id %s is there twice" % i for i in set(page.ids) if page.ids.count(i) > 1]
page.faults += ["%s leads nowhere" % link for link in page.links if link[:1] != "#" or link[1:] not in page.ids]
print("\n".join(page.faults))
sys.exit(1 if page.faults or len(page.links) < 30 else 0)
END
check "well-formed, each id once, and each link leads to something in it"

# row TEST: prints the verdicts of a test, with their marks: "- Never 8>Sometimes"
row()
{
	sed -n "s/^<tr><th scope=\"row\"><a href=\"#t-$1\">[^<]*<\\/a><\\/th>//p" "$tmp/part" |
		sed 's/<abbr class="removed"[^<]*<\/abbr>/-/g; s/<abbr class="bounded"[^<]*<\/abbr>/*/g; s/<\/td>/ /g; s/<[^>]*>//g; s/ $//'
}
n=$(printf '\342\200\223')
echo "$(row LB+data-zero)" >"$tmp/out"
[ "$(row LB+data-zero)" = "$n $n $n $n $n $n Never Sometimes- Never-" ]
check "a data dependency that both compilers remove: the verdicts, and the marks"
[ "$(row LB+ctrl-both)" = "$n $n $n $n $n $n Never Sometimes- Never-" ]
check "a control dependency that both compilers remove"
echo "$(row MP+rel+acq)" >"$tmp/out"
[ "$(row MP+rel+acq)" = "Never Never Never Never $n $n Never Never Never" ] && [ "$(row X86_64-SB)" = "Never Sometimes $n $n $n $n $n $n $n" ]
check "where nothing is removed there is no mark; what is not C is not compiled"
echo "$(row MP+rcu)" "$(row MP+locks)" >"$tmp/out"
[ "$(row MP+rcu)" = "$n $n $n $n $n $n Never $n $n" ] && [ "$(row MP+locks)" = "Never Never Never Never $n $n Never $n $n" ]
check "nor are RCU and locks, which are the kernel's own code"
echo "$(row SB+xchgs)" >"$tmp/out"
[ "$(row SB+xchgs)" = "Never Never Never Never $n $n Never Never Never-" ]
check "an exchange that clang makes a store of has lost its read"
grep -q '<p class="removed">removed: the data dependency from line 19 to line 20</p>' "$tmp/part" &&
	grep -q '<i> 19</i> <mark>[^<]*READ_ONCE' "$tmp/part" && grep -q '<i> 20</i> <mark>[^<]*WRITE_ONCE' "$tmp/part"
check "the listing says what, and the lines are marked"
[ "$(grep -c '<figure id="p-LB+datas' "$tmp/part")" -eq 0 ] && [ "$(grep -c '<figure id="p-MP+rel+acq' "$tmp/part")" -eq 7 ] &&
	! grep -q '<style' "$tmp/part" && ! grep -q '/tmp/nap-litmus' "$tmp/part"
check "a picture for each verdict that has one, without a style of its own"
! $lab --html="$tmp/nowhere/part" $gallery/LB.litmus >"$tmp/out" 2>&1 && grep -q 'nowhere/part: No such file' "$tmp/out"
check "a file that cannot be written"
