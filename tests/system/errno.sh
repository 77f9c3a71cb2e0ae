#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests that unit/errno knows every function of libc that the library calls and that may change
# errno: each is wrapped there, or is in the list below. KTAP.

library=${NAP_BUILD:-build}/libnap.a

# Functions that change no errno, or do not return; raise and write are called only in a handler,
# which keeps errno.
harmless='__errno_location __pthread_register_cancel __pthread_unregister_cancel __sigsetjmp abort bcmp dladdr fprintf memchr memcmp memcpy memmove memset _pthread_cleanup_pop _pthread_cleanup_push pthread_self raise secure_getenv snprintf stderr strcmp strcpy strcspn
	strlen strncmp strrchr strsep strstr vsnprintf write _GLOBAL_OFFSET_TABLE_'
wrapped=$(echo $(sed -n 's/^SPOILS([^,]*, \([a-z0-9_]*\),.*/\1/p' tests/unit/errno.c))

echo 'TAP version 13'
echo '1..1'
called=$(nm "$library" | awk '$1 == "U" { called[$2] } $2 ~ /[TtDdBbRrVW]/ { ours[$3] }
	END { for (name in called) if (!(name in ours)) print name }' |
	sed 's/^__\(.*\)_chk$/\1/' | sort)	# as -D_FORTIFY_SOURCE calls them
missed=
for name in $called; do
	case " $(echo $harmless) $wrapped " in
	*" $name "*) ;;
	*) missed="$missed $name" ;;
	esac
done
[ -n "$called" ] && [ -z "$missed" ] || printf '%s' 'not '
echo 'ok 1 every call that may change errno is tried'
echo "# called: $(echo $called)"
[ -z "$missed" ] || echo "# not wrapped:$missed"
