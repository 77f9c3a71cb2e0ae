/* SPDX-License-Identifier: MIT */
#define INT_MAX __INT_MAX__
#define UINT_MAX (__INT_MAX__ * 2u + 1u)
#define LONG_MAX __LONG_MAX__
#define ULONG_MAX (__LONG_MAX__ * 2ul + 1ul)
