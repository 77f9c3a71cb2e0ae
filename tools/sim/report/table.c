/* SPDX-License-Identifier: MIT */
#include "report/report.h"

#define TABLE_FIELDS	16u

static double us(uint64_t ps)
{
	return (double)ps / 1e6;
}

static double per(uint64_t n, uint64_t tasks)
{
	return tasks ? (double)n / (double)tasks : 0;
}

uint64_t report_transfers(const uint64_t *moved)
{
	return moved[FAR_CLUSTER] + moved[FAR_NODE] + moved[FAR_REMOTE];
}

double report_share(const struct row *row)
{
	uint64_t cpus = row->r.workers < row->r.cpus ? row->r.workers : row->r.cpus;

	return row->r.elapsed ?
	       (double)row->r.spent[CAUSE_WORK] / (double)row->r.elapsed / (double)cpus : 0;
}

double report_speed(const struct row *row)
{
	return row->r.elapsed ? (double)row->r.tasks / us(row->r.elapsed) : 0;
}

static void causes(FILE *out, const struct row *row)
{
	const struct result *r = &row->r;
	uint64_t all = 0;

	for (unsigned c = 0; c < NR_CAUSES; c++)
		all += r->spent[c];
	fprintf(out, "\n%-10s %10s %9s %7s\n", "time", "us", "ns/task", "%");
	for (unsigned c = 0; c < NR_CAUSES; c++)
		fprintf(out, "%-10s %10.1f %9.1f %6.1f%%\n", cause_names[c], us(r->spent[c]),
			per(r->spent[c], r->tasks) / 1e3,
			all ? 100.0 * (double)r->spent[c] / (double)all : 0);
	fprintf(out,
		"of these, between tasks: %.1f us to find the next, %.1f us to find none, "
		"before a sleep\n",
		us(r->found), us(r->searched));
	fprintf(out, "workers slept or woke beside queued tasks for %.1f us\n", us(r->idle_beside));
}

static void fields_of(FILE *out, const struct row *row)
{
	const struct result *r = &row->r;

	fprintf(out, "\n%-34s %8s %8s %8s %8s %8s %5s %9s\n", "lines moved a task, by field", "all",
		"cluster", "node", "remote", "locked", "CPUs", "waited/ns");
	for (unsigned i = 0; i < r->nr_fields && i < TABLE_FIELDS; i++) {
		const struct result_field *f = &r->field[i];

		fprintf(out, "%-34s %8.4f %8.4f %8.4f %8.4f %8.4f %5u %9.1f\n", f->name,
			per(report_transfers(f->moved), r->tasks),
			per(f->moved[FAR_CLUSTER], r->tasks), per(f->moved[FAR_NODE], r->tasks),
			per(f->moved[FAR_REMOTE], r->tasks),
			per(f->by_access[ACCESS_RMW], r->tasks), f->cpus,
			per(f->waited, r->tasks) / 1e3);
	}
}

void report_table(FILE *out, const struct row *row)
{
	const struct result *r = &row->r;

	fprintf(out, "%s on %s: machine %s, %u CPUs, %u workers, seed %llu\n", row->run.work->name,
		row->run.work->alone ? "its own threads" : row->run.pool->name, machine.name,
		r->cpus, r->workers, (unsigned long long)row->run.seed);
	fprintf(out,
		"%llu tasks of %llu ns in %.1f us: %.3f a us, "
		"%.3f of the CPUs' time is the work's\n",
		(unsigned long long)r->tasks, (unsigned long long)row->run.grain_ns, us(r->elapsed),
		report_speed(row), report_share(row));
	if (r->waited_sum)
		fprintf(out, "a task waited for %.1f us, at most %.1f us, before it began\n",
			us(r->waited_sum) / (double)r->tasks, us(r->waited_most));
	if (r->awake_at)
		fprintf(out,
			"every worker had a task after %.1f us, "
			"%.1f times the %.1f us of a wake-up\n",
			us(r->awake_at), (double)r->awake_at / (double)machine.wakeup,
			us(machine.wakeup));
	causes(out, row);
	fprintf(out, "%llu threads woken, %llu wakes of nobody, %llu sleeps, %llu steals\n",
		(unsigned long long)r->woken, (unsigned long long)r->wakes_in_vain,
		(unsigned long long)r->sleeps, (unsigned long long)r->steals);
	fprintf(out, "%.3f lines moved a task, and %llu first touches\n",
		per(report_transfers(r->moved), r->tasks),
		(unsigned long long)r->moved[FAR_MEMORY]);
	report_lost(out, row);
	fields_of(out, row);
}

const struct row *report_first(const struct row *rows, const struct row *row)
{
	while (rows->run.work != row->run.work || rows->run.pool != row->run.pool)
		rows++;
	return rows;
}

void report_curve(FILE *out, const struct row *rows, unsigned n)
{
	fprintf(out, "# machine %s\n%-12s %-9s %5s %10s %9s %9s %7s %9s %9s  %s\n", machine.name,
		"work", "pool", "CPUs", "us", "tasks/us", "speed-up", "share", "lines", "waited",
		"most moved");
	for (unsigned i = 0; i < n; i++) {
		const struct row *row = &rows[i], *first = report_first(rows, row);
		const struct result *r = &row->r;
		const struct result_field *most = &r->field[0];

		fprintf(out, "%-12s %-9s %5u %10.1f %9.3f %9.2f %7.3f %9.3f %9.1f  ",
			row->run.work->name, row->run.work->alone ? "-" : row->run.pool->name,
			r->cpus, us(r->elapsed), report_speed(row),
			report_speed(first) > 0 ? report_speed(row) / report_speed(first) : 0,
			report_share(row), per(report_transfers(r->moved), r->tasks),
			per(r->spent[CAUSE_LINE], r->tasks) / 1e3);
		if (r->nr_fields)
			fprintf(out, "%s %.3f\n", most->name,
				per(report_transfers(most->moved), r->tasks));
		else
			fprintf(out, "none\n");
	}
}
