/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "model/model.h"

const struct model *const models[NR_MODELS] = {
	&model_sc, &model_tso, &model_rc11, &model_c11, &model_c20,
};

const struct model *model_named(const char *name)
{
	for (unsigned i = 0; i < NR_MODELS; i++)
		if (!strcmp(models[i]->name, name))
			return models[i];
	return NULL;
}

const struct model *model_of(unsigned bit)
{
	for (unsigned i = 0; i < NR_MODELS; i++)
		if (models[i]->bit == bit)
			return models[i];
	return NULL;
}
