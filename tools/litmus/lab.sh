#!/bin/sh
# SPDX-License-Identifier: MIT
#
# make lab: judges the gallery and tests/litmus/ by each file's expectation, first as written; then
# the C tests as gcc and clang compile them.
#
#	lab.sh NAP-LITMUS

lab=$1
cd "$(dirname "$0")/../.." || exit 1
status=0
echo "The classic shapes (tools/litmus/gallery/), and what each model makes of the question:"
echo
$lab --expect build/gallery || status=1
echo
echo "nap's own (tests/litmus/):"
echo
$lab --expect tests/litmus || status=1
echo
echo "The same as compilers make instructions of them, by nap's atomics:"
echo
# A loop of LL and SC is cut after two iterations: the verdict is on these.
$lab --compile=all:nap tests/litmus
[ $? -le 1 ] || status=1
echo
echo "Why: $lab --why FILE. As a picture: $lab --dot=DIRECTORY FILE." \
	"More: Documentation/laboratory.rst"
exit $status
