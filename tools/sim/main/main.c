/* SPDX-License-Identifier: MIT */
/*
 * nap-sim: each run is a process of its own, because nap, the works and the machine begin with
 * memory that nobody has touched.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "main/options.h"
#include "report/report.h"

struct sim_pool *sim_pools;
struct sim_work *sim_works;

static const char usage[] =
"usage: nap-sim [OPTION]... WORK...\n"
"Runs works of nap on a machine that is not here, and says where the time goes.\n"
"\n"
"  --machine=NAME     one of tools/sim/topology/, or a file (with a slash); server64\n"
"  --cpus=N,...       only the machine's first N CPUs; several: a line for each\n"
"  --pool=NAME,...    what runs the tasks; nap\n"
"  --workers=N        of the pool; as many as CPUs\n"
"  --producers=N      threads outside that schedule (independent); 1\n"
"  --loops=N          threads that works come back to (completions), at most 8; 1\n"
"  --tasks=N --grain=NS   how many tasks, and how long each is; as the work has it\n"
"  --seed=N           of what is random; 0\n"
"  --json             everything, as JSON\n"
"  --svg=FILE         a picture of the curves, and of which field moves on how many CPUs\n"
"  --why=FIELD        which code moves the lines of the fields with this in their name\n"
"  --list             works and pools\n";

/* Fails the whole program: a curve that lacks a point is no result. */
static void run_in_child(struct row *row)
{
	int fd[2], status;
	size_t got = 0;
	ssize_t n;
	pid_t child;

	fflush(stdout);
	if (pipe(fd) || (child = fork()) < 0) {
		perror("nap-sim");
		exit(1);
	}
	if (!child) {
		close(fd[0]);
		sim_run = row->run;
		run_once();
		for (size_t put = 0; put < sizeof(sim_result); put += (size_t)n)
			if ((n = write(fd[1], (char *)&sim_result + put,
				       sizeof(sim_result) - put)) <= 0)
				_exit(1);
		_exit(0);
	}
	close(fd[1]);
	while (got < sizeof(row->r) &&
	       (n = read(fd[0], (char *)&row->r + got, sizeof(row->r) - got)) > 0)
		got += (size_t)n;
	close(fd[0]);
	if (waitpid(child, &status, 0) != child || status || got < sizeof(row->r) ||
	    !row->r.ended) {
		fprintf(stderr, "nap-sim: %s on %u CPUs: %s\n", row->run.work->name, row->run.cpus,
			got == sizeof(row->r) && !row->r.ended ? row->r.why :
			WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "failed");
		exit(1);
	}
}

static struct run run_of(const struct options *o, const struct sim_work *work,
			 const struct sim_pool *pool, uint64_t cpus)
{
	uint64_t workers = o->workers ? o->workers : cpus;

	return (struct run){
		.work = work, .pool = pool, .cpus = (unsigned)cpus, .why = o->why, .seed = o->seed,
		.workers = (unsigned)workers, .producers = (unsigned)o->producers,
		.loops = (unsigned)o->loops,
		.tasks = o->has_tasks ? o->tasks : work->each ? work->each * workers : work->tasks,
		.grain_ns = o->has_grain ? o->grain_ns : work->grain_ns,
	};
}

static bool write_svg(const char *path, const struct row *rows, unsigned nr)
{
	FILE *file = fopen(path, "w");
	bool good;

	if (file) {
		report_svg(file, rows, nr);
		good = !ferror(file);
		if (!fclose(file) && good)
			return true;
	}
	perror(path);
	return false;
}

static int run_all(const struct options *o)
{
	unsigned nr_cpu = o->nr_cpus ? o->nr_cpus : 1, nr = 0;
	struct row *rows = calloc((size_t)o->nr_works * (o->nr_pools + 1) * nr_cpu, sizeof(*rows));

	if (!rows) {
		fprintf(stderr, "nap-sim: there is no memory for the results\n");
		return 1;
	}
	for (unsigned w = 0; w < o->nr_works; w++)
		for (unsigned p = 0; p < (o->works[w]->alone ? 1 : o->nr_pools); p++)
			for (unsigned c = 0; c < nr_cpu; c++) {
				rows[nr].run = run_of(o, o->works[w], o->pools[p],
						      o->nr_cpus ? o->cpus[c] : machine.cpus);
				run_in_child(&rows[nr++]);
			}
	if (o->json)
		report_json(stdout, rows, nr);
	else if (nr > 1)
		report_curve(stdout, rows, nr);
	else
		report_table(stdout, rows);
	for (unsigned i = 0; o->why && !o->json && i < nr; i++)
		report_why(stdout, &rows[i]);
	if (o->svg && !write_svg(o->svg, rows, nr))
		return 1;
	free(rows);
	return fflush(stdout) || ferror(stdout);
}

static int list(void)
{
	for (const struct sim_work *work = sim_works; work; work = work->next)
		printf("work  %-12s %s%s\n", work->name, work->about,
		       work->nap_only ? " (nap only)" : "");
	for (const struct sim_pool *pool = sim_pools; pool; pool = pool->next)
		printf("pool  %-12s %s\n", pool->name, pool->about);
	return 0;
}

int main(int argc, char **argv)
{
	struct options options;

	if (!options_read(&options, argc, argv))
		return 2;
	if (options.helps) {
		fputs(usage, stdout);
		return 0;
	}
	return options.lists ? list() : run_all(&options);
}
