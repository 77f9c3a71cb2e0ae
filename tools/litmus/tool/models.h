/* SPDX-License-Identifier: MIT */
#ifndef NAP_LITMUS_MODELS_H
#define NAP_LITMUS_MODELS_H

#include "relations/relations.h"
#include "test/test.h"

const char *own_model(enum dialect dialect);
/* Returns the model. Each is read once. Exits, with a message, if it cannot be read. */
const struct rules *rules_named(const char *name);

#endif /* NAP_LITMUS_MODELS_H */
