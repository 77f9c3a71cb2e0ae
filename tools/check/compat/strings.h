/* SPDX-License-Identifier: MIT */
/*
 * nap-check includes this first in every C++ file. libstdc++ says that it has the functions of
 * std::string already compiled, but the checker does not see accesses of compiled functions. So
 * strings are compiled with the program here. Only the printing of a string stays in the library.
 */
#include <bits/c++config.h>
#include <bits/ostream_insert.h>
#if _GLIBCXX_EXTERN_TEMPLATE == 1
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
#include <string>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 1
#endif
