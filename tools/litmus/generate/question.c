/* SPDX-License-Identifier: MIT */
/* The question of a test asks for the values with which its cycle happens. */
#include "generate/cycle.h"

static void print_register(FILE *out, const struct event *event, const char *name, unsigned value,
			   const char **between)
{
	fprintf(out, "%s%u:%s=%u", *between, event->thread, name, value);
	*between = " /\\ ";
}

void print_question(FILE *out, const struct cycle *cycle,
		    const char *(*register_name)(unsigned reg, char *buffer, size_t room))
{
	const char *between = "";
	char name[16];

	fputs("exists (", out);
	for (unsigned i = 0; i < cycle->nr_locations; i++) {
		if (cycle->writes[i] < 2)
			continue;
		fprintf(out, "%s[%c]=%u", between, location_name(i), cycle->writes[i]);
		between = " /\\ ";
	}
	for (unsigned i = 0; i < cycle->nr_events; i++) {
		const struct event *event = &cycle->event[i];

		if (!event->write)
			print_register(out, event, register_name(event->reg, name, sizeof(name)),
				       event->value, &between);
		if (event->has_status)
			print_register(out, event, register_name(event->reg, name, sizeof(name)), 0,
				       &between);
	}
	fputs(")\n", out);
}
