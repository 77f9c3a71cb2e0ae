/* SPDX-License-Identifier: MIT */
/*
 * Litmus shapes with their published verdicts, for the checker (litmus.c) and for the enumerator
 * that it is compared with (enumerate.c). The language: litmus_ops.h.
 *
 * The verdicts for RC11 come from (@source)
 *
 *	PLDI17	Lahav, Vafeiadis, Kang, Hur, Dreyer, "Repairing Sequential Consistency in
 *		C/C++11", PLDI 2017: an example of that name. Program and verdict as
 *		in Dat3M, benchmarks/rc11 and RC11Test.java
 *	GENMC	GenMC 0.11, tests/correct/litmus/NAME: @published has the numbers of executions that
 *		its test suite expects under RC11 and SC; the verdict follows from the number, as
 *		each such program has few executions
 *	GENMC09	the same, GenMC 0.3 to 0.9. From 0.10 on it demands more: its psc has po;hb;po where
 *		the paper has po to another location on both sides, and it expects 17 and 22
 *	DAT3M	Dat3M (Dartagnan) 4, litmus/C11 and RC11-expected.csv: the verdict itself
 *	AXIOMS	nobody that we know of has published it in this form; the argument follows
 *
 * Where the program was changed a little (GenMC's non-atomic accesses are relaxed ones here, and
 * its values are smaller) the number of executions stays.
 *
 * A release sequence is [W];(rf;rmw)*, as in C++20 and in GenMC: stores of the same thread after
 * the release store do not continue it, which they did in C11 and do in the paper. The shapes whose
 * verdict that changes say so.
 */
#ifndef NAP_TESTS_MODEL_LITMUS_SHAPES_H
#define NAP_TESTS_MODEL_LITMUS_SHAPES_H

/* The models, as in nap/check.h, which the enumerator does without. */
#define SHAPE_SC	1u
#define SHAPE_TSO	2u
#define SHAPE_RC11	4u

#define NEVER	0u
#define RC11	SHAPE_RC11
#define WEAK	(SHAPE_TSO | SHAPE_RC11)
#define ALWAYS	(SHAPE_SC | SHAPE_TSO | SHAPE_RC11)

#define PLDI17	"PLDI17 "
#define GENMC	"GenMC litmus/"
#define GENMC09	"GenMC 0.9 litmus/"
#define DAT3M	"Dat3M "
#define AXIOMS	"by the axioms: "

struct litmus_shape {
	const char *name, *program, *exists;
	unsigned allowed;		/* the models in which some execution ends so */
	const char *source;
	struct {
		unsigned rc11, sc;	/* executions, or 0 */
	} published;
};

static const struct litmus_shape litmus_shapes[] = {
#include "litmus_shapes_coherence.h"
#include "litmus_shapes_message.h"
#include "litmus_shapes_buffering.h"
#include "litmus_shapes_rmw.h"
#include "litmus_shapes_many.h"
};

#define LITMUS_SHAPES (sizeof(litmus_shapes) / sizeof(litmus_shapes[0]))

#endif /* NAP_TESTS_MODEL_LITMUS_SHAPES_H */
