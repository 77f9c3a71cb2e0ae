/* SPDX-License-Identifier: MIT */
#ifndef NAP_SIM_SYMBOLS_H
#define NAP_SIM_SYMBOLS_H

#include <stdint.h>

/*
 * Returns the name of the program's variable at @address, by its symbol table; NULL: there is none.
 */
const char *symbol_at(uintptr_t address);

#endif /* NAP_SIM_SYMBOLS_H */
