/* SPDX-License-Identifier: MIT */
/* Prints a section of results: what tools/litmus/seen reads. */
#ifndef LAB_SAY_H
#define LAB_SAY_H

#if defined(__x86_64__)
#define HERE "x86_64"
#elif defined(__aarch64__)
#define HERE "aarch64"
#elif defined(__riscv)
#define HERE "riscv64"
#else
#define HERE "unknown"
#endif

/* Reads the first line of a file in which @key begins, or any line if @key is "", to its end. */
static bool say_line(const char *path, const char *key, char *line, size_t size)
{
	FILE *in = fopen(path, "re");
	bool found = false;

	while (in && !found && fgets(line, (int)size, in))
		found = !strncmp(line, key, strlen(key));
	if (in)
		fclose(in);
	if (found)
		line[strcspn(line, "\n")] = 0;
	return found;
}

static void say_processor(void)
{
	static const char *const keys[] = { "model name", "CPU part", "uarch", "isa" };
	char line[200];

	for (unsigned i = 0; i < 4; i++)
		if (say_line("/proc/cpuinfo", keys[i], line, sizeof(line))) {
			const char *colon = strchr(line, ':');

			printf("processor%s%s%s\n", i ? " " : "", i ? keys[i] : "",
			       colon && colon[1] ? colon + 1 : " unknown");
			return;
		}
	puts("processor unknown");
}

/* Under an emulator of programs, such as qemu-user, these files are those of the host's kernel. */
static void say_emulated(void)
{
	const char *emulator = getenv("EMULATOR");
	char line[200];

	if (emulator && *emulator)
		printf("emulated by %.60s\n", emulator);
	else if (say_line("/proc/sys/kernel/arch", "", line, sizeof(line)) && strcmp(line, HERE))
		printf("emulated on %.60s\n", line);
	else if (strcmp(HERE, "x86_64") &&
		 say_line("/proc/cpuinfo", "vendor_id", line, sizeof(line)) &&
		 (strstr(line, "Intel") || strstr(line, "AMD")))
		puts("emulated on x86_64");
	else
		puts("emulated no");
}

static void say(void)
{
	struct table *all = worker_at(0)->table;
	double ended = 0;
	uint64_t done = 0;

	for (unsigned i = 1; i < how.copies * nr_workers; i++)
		add_all(all, worker_at(i)->table);
	for (unsigned i = 0; i < how.copies; i++) {
		done += teams[i]->done;
		ended = ended < teams[i]->ended ? teams[i]->ended : ended;
	}
	printf("nap-litmus results 1\n%smachine " HERE "\n", source);
	say_processor();
	say_emulated();
	printf("cpus %u\nworkers %u\ncopies %u\naffinity", cpus.nr, nr_workers, how.copies);
	for (unsigned i = 0; i < cpus.nr_orders; i++)
		printf(" %s", how.affinity == UNPINNED ? "none" : cpus.name[i]);
	printf("\nruns %" PRIu64 "\nseconds %.6f\ncpu %.6f\nlost %" PRIu64 "\n", done,
	       ended - began, (double)clock() / CLOCKS_PER_SEC, all->lost);
	printf("parts %s\n", parts);
	print_table(all);
	puts("end");
	if (fflush(stdout) || ferror(stdout)) {
		perror("standard output");
		exit(1);
	}
}

#endif /* LAB_SAY_H */
