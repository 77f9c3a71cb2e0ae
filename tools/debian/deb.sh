#!/bin/sh
# SPDX-License-Identifier: MIT
#
#	deb.sh DIST OUT VERSION [HOST]
#
# Makes Debian packages in OUT of the source archive DIST: for this machine, or for the architecture HOST (arm64,
# riscv64). The maintainer is $DEBFULLNAME <$DEBEMAIL>, whom users of the packages are to ask. The date is that of the
# archive's files: the same archive makes the same packages.

dist=$1 out=$2 version=$3 host=$4
if [ -z "${DEBEMAIL:-}" ]; then
	echo "deb: who answers for these packages? DEBEMAIL=address (and DEBFULLNAME=name)" >&2
	exit 2
fi
for tool in dpkg-buildpackage dh fakeroot; do
	command -v $tool >/dev/null || lacks="$lacks $tool"
done
if [ -n "$lacks" ]; then
	echo "deb: no$lacks; what installs them: apt-get install debhelper dpkg-dev fakeroot" >&2
	exit 2
fi
umask 022
# A cache of compilers may return what was compiled elsewhere, with the paths that were there.
export CCACHE_DISABLE=1
maintainer="${DEBFULLNAME:-nap} <$DEBEMAIL>"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
tar -xzf "$dist" -C "$tmp" && cd "$tmp/nap-$version" || exit 1
cp -r tools/debian debian && rm debian/deb.sh debian/deb.mk || exit 1
sed -i "s|@MAINTAINER@|$maintainer|" debian/control
SOURCE_DATE_EPOCH=$(stat -c %Y README.md)
export SOURCE_DATE_EPOCH
cat >debian/changelog <<END
nap ($version-1) unstable; urgency=medium

  * Packages of version $version, made by the source's own rules.

 -- $maintainer  $(date -R -u -d "@$SOURCE_DATE_EPOCH")
END
cp "$dist" "../nap_$version.orig.tar.gz"
dpkg-buildpackage -us -uc -F ${host:+-a "$host" -d -Pcross,nocheck} >"$out/build${host:+-$host}.log" 2>&1 || {
	tail -n 30 "$out/build${host:+-$host}.log"
	echo "deb: not built; all of it is in $out/build${host:+-$host}.log" >&2
	exit 1
}
cd .. && mv ./*.deb ./*.dsc ./*.debian.tar.* ./*.orig.tar.gz ./*.changes ./*.buildinfo "$out/" && ls "$out"/*.deb
