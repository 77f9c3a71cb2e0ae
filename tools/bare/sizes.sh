#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tools/bare/sizes.sh [BUILD]...: prints how much each part of the bare library takes in a program
# that uses all of it, in bytes of code and of data in the file (BUILD: by default build/bare, and
# the builds for other machines if they exist). A program has only the parts that it uses.

cd "$(dirname "$0")/../.." || exit 1
[ $# -gt 0 ] || set -- $(for b in build/bare build/aarch64-bare build/riscv64-bare; do
	[ ! -e $b/libnap.a ] || echo $b
done)
[ $# -gt 0 ] || { echo "sizes.sh: no library without a libc: make bare" >&2; exit 1; }

for build; do
	size=size
	case $build in
	*aarch64*) size=aarch64-linux-gnu-size ;;
	*riscv64*) size=riscv64-linux-gnu-size ;;
	esac
	(cd "$build/obj" && $size $(find . -name '*.o' ! -name hello.o ! -path './tools/*')) |
		awk -v build="$build" 'NR > 1 { sub(/^\.\//, "", $6); print build, $6, $1 + $2 }'
done | awk -v host="$(uname -m)" '
function part(file)
{
	if (file ~ /^idle\/(go|jec)\.o$/) return "2 the idle protocols of Go and of JEC"
	if (file ~ /^kit\/(class_.*|serial_class|submit_class)\.o$/) return "3 classes"
	if (file ~ /^fork\/(jobs|jobs_join|ask)\.o$|^sched\/guest\.o$|^wait\/help\.o$|^os\/linux\/(membarrier|release)\.o$/)
		return "4 forks, and waiting that helps"
	if (file ~ /^parallel\//) return "5 loops, reductions, scans, sorts"
	if (file ~ /^kit\/(work.*|submit.*|serial.*|order|after|complete.*|finish)\.o$|^wait\/group.*\.o$|^fork\//)
		return "6 groups, calls, works, serial queues, completions"
	if (file ~ /^async\/fiber\/|^arch\/context/) return "7 fibers and what they wait on"
	if (file ~ /^async\/|^os\/linux\/(epoll|eventfd)\.o$/) return "8 timers and files"
	if (file ~ /^kit\/(blocking|stuck|limit|capacity|shutdown|ends)\.o$|^life\/child_init\.o$/)
		return "9 limits that change, blocking, ends"
	if (file ~ /^life\/(stats|remaining)\.o$|^kit\/(metrics.*|page)\.o$/) return "a statistics"
	if (file ~ /^os\/linux\/(cpus|cpu_files|online|cgroup|affinity|text)\.o$/) return "b counting CPUs"
	if (file ~ /^thread\/linux\//) return "c what a thread inherits, and its CPUs"
	if (file ~ /^(os|thread)\/bare\/|^arch\//) return "d in place of a libc"
	if (file ~ /^kit\/(outline|sizes)\.o$/) return "e for other languages"
	return "1 the pool: queues, search, sleep, join"
}
{
	name = part($2)
	sum[name, $1] += $3
	all[$1] += $3
	names[name]
	if (!($1 in seen)) {
		seen[$1]
		builds[++nr] = $1
	}
}
END {
	printf "%-52s", "part"
	for (i = 1; i <= nr; i++)
		printf " %12s", machine(builds[i])
	print ""
	n = 0
	for (name in names)
		sorted[++n] = name
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && sorted[j] < sorted[j - 1]; j--) {
			swap = sorted[j]
			sorted[j] = sorted[j - 1]
			sorted[j - 1] = swap
		}
	for (i = 1; i <= n; i++) {
		printf "%-52s", substr(sorted[i], 3)
		for (j = 1; j <= nr; j++)
			printf " %12d", sum[sorted[i], builds[j]]
		print ""
	}
	printf "%-52s", "all"
	for (j = 1; j <= nr; j++)
		printf " %12d", all[builds[j]]
	print ""
}
function machine(build)
{
	sub(/^build\//, "", build)
	sub(/-?bare$/, "", build)
	return build == "" ? host : build
}'
