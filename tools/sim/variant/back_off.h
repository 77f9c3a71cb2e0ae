/* SPDX-License-Identifier: MIT */
/*
 * Included before a file of src/: on demand a compare-exchange that has failed reads the word again
 * after a pause.
 */
#ifndef NAP_SIM_BACK_OFF_H
#define NAP_SIM_BACK_OFF_H

#include "arch/atomic.h"
#include "program/variant.h"

#define BACK_OFF(how)								\
static inline bool back_off_u32_##how(uint32_t *word, uint32_t *expected, uint32_t value) \
{										\
	bool done = nap_try_cmpxchg_##how(word, expected, value);		\
										\
	if (sim_backs_off(done))						\
		*expected = nap_load_relaxed(word);				\
	return done;								\
}										\
static inline bool back_off_ptr_##how(uintptr_t *word, uintptr_t *expected, uintptr_t value) \
{										\
	bool done = nap_try_cmpxchg_##how(word, expected, value);		\
										\
	if (sim_backs_off(done))						\
		*expected = nap_load_relaxed(word);				\
	return done;								\
}
BACK_OFF(relaxed)
BACK_OFF(release)
#undef BACK_OFF

#define BACK_OFF(how, word, expected, value) _Generic((word), uint32_t *: back_off_u32_##how,	\
	uintptr_t *: back_off_ptr_##how)(word, expected, value)
#undef nap_try_cmpxchg_relaxed
#undef nap_try_cmpxchg_release
#define nap_try_cmpxchg_relaxed(word, expected, value) BACK_OFF(relaxed, word, expected, value)
#define nap_try_cmpxchg_release(word, expected, value) BACK_OFF(release, word, expected, value)

#endif /* NAP_SIM_BACK_OFF_H */
