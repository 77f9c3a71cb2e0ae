/* SPDX-License-Identifier: MIT */
/* The part of a dump about classes and their permits. */
#include "dump/dump.h"

#include <nap/class.h>

#include "kit/class.h"

void nap__dump_classes(struct nap__dump *dump)
{
	struct nap_classes *classes = dump->pool->config.classes;

	for (uint32_t i = 0; i < class_count(dump->pool) && !dump->err; i++) {
		struct nap_class *class = &classes->of[i];

		say(dump, "class %u: weight %u", i, class->weight);
		if (class->limit)
			say(dump, ", %u of %u permits taken", nap_load_relaxed(&class->inside),
			    class->limit);
		say_only(dump, "\n");
		nap__dump_queue(dump, "queued", &class->queue, false);
	}
}
