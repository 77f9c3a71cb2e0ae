/* SPDX-License-Identifier: MIT */
#ifndef NAP_SIM_REPORT_H
#define NAP_SIM_REPORT_H

#include <stdio.h>

#include "program/work.h"

/* A run, and its result @r. */
struct row {
	struct run run;
	struct result r;
};

/* Prints everything about one run. */
void report_table(FILE *out, const struct row *row);

/* A line for each run; the speed-up is against the first run of the same work and pool. */
void report_curve(FILE *out, const struct row *rows, unsigned n);

/* An array of all runs, with everything. */
void report_json(FILE *out, const struct row *rows, unsigned n);

/*
 * Draws the speed-up of each work and pool over the CPUs. Beside that, for the first pool, draws
 * how many lines move for each field and task, over the CPUs.
 */
void report_svg(FILE *out, const struct row *rows, unsigned n);

/* Lines that moved, without first touches of memory; tasks a microsecond. */
uint64_t report_transfers(const uint64_t *moved);
double report_speed(const struct row *row);

/* The run that @row is compared with: the first of its work and pool. */
const struct row *report_first(const struct row *rows, const struct row *row);

/* What a run's time was lost to; steals by their distance. */
void report_lost(FILE *out, const struct row *row);

/*
 * svg_causes() draws a bar for each of @n rows, from (@x, @y) on, at most @width wide.
 * svg_causes_height() returns the height of all bars.
 */
void svg_causes(FILE *out, const struct row *rows, unsigned n, int x, int y, int width);
int svg_causes_height(unsigned n);

/* Which code wants the fields that were asked for. */
void report_why(FILE *out, const struct row *row);

/* The share of the CPUs' time that was the work's own. */
double report_share(const struct row *row);

#endif /* NAP_SIM_REPORT_H */
