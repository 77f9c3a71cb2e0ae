/* SPDX-License-Identifier: MIT */
/*
 * nap-check includes this first in every C++ file. libstdc++ says that it has the functions of
 * std::string already compiled; these the checker does not see. Here strings are compiled with the
 * program. Printing a string stays in the library.
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
