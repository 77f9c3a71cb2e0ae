/* SPDX-License-Identifier: MIT */
#ifndef NAP_LITMUS_MODELS_H
#define NAP_LITMUS_MODELS_H

#include "relations/relations.h"
#include "test/test.h"

/* Returns the model that judges tests of this dialect unless another is named. */
const char *own_model(enum dialect dialect);
/* Whether the model is a language's. Such a model judges a text; a machine's, what is compiled. */
bool model_is_of_language(const char *name);
/* Whether what the model says of the test's instructions has a meaning. */
bool model_fits(const struct test *test, const char *name);
/* Refuses the test, by text_fail(), if what the model says of its instructions has no meaning. */
void model_must_fit(const struct test *test, const char *name);
/* Returns the model. Each is read once. Exits, with a message, if it cannot be read. */
const struct rules *rules_named(const char *name);

#endif /* NAP_LITMUS_MODELS_H */
