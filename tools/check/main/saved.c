/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "graph/fatal.h"
#include "graph/mix.h"
#include "main/file.h"
#include "main/options.h"
#include "main/saved.h"
#include "program/sums.h"

#define MAGIC "nap-check search 1\n"

static struct record {
	char name[64], model[16], state[16];
	char *text;
	size_t size;
	struct record *next;
} *records;

static char *with;
static size_t with_size;
static FILE *with_out;

/* ---- what the file is of */

static void add(const char *text)
{
	for (; *text; text++)
		fprintf(with_out, *text == '%' || (unsigned char)*text < ' ' ? "%%%02x" : "%c",
			(unsigned char)*text);
}

void saved_option(const char *name, const char *arg)
{
	if (with_out)
		fputc(' ', with_out);
	else
		with_out = open_memstream(&with, &with_size);
	add(name);
	if (arg) {
		fputc('=', with_out);
		add(arg);
	}
	fflush_unlocked(with_out);
}

static uint64_t sum_of(const char *text, size_t size)
{
	uint64_t sum = size;

	for (size_t i = 0; i < size; i++)
		sum = mix(sum, (unsigned char)text[i]);
	return sum;
}

/* ---- reading */

_Noreturn void saved_is_wrong(const char *why)
{
	fprintf(stderr, "%s: %s: %s\n", program_name(), options.resume, why);
	leave(2);
}

static char *read_whole(const char *file, size_t *size)
{
	FILE *in = fopen(file, "r");
	char *text = NULL;
	struct stat st;

	if (!in || fstat(fileno(in), &st))
		saved_is_wrong(strerror(errno));
	if (!S_ISREG(st.st_mode))
		saved_is_wrong("not a file");
	*size = (size_t)st.st_size;
	text = malloc(*size + 1);
	if (!text || fread(text, 1, *size, in) != *size)
		saved_is_wrong("cannot be read");
	text[*size] = 0;
	fclose(in);
	return text;
}

/* Checks the file's own sum, and returns where its last line begins. */
static size_t check_sum(const char *text, size_t size)
{
	size_t length = sizeof("end 0123456789abcdef\n") - 1, end = size - length;
	char *after;

	if (size < sizeof(MAGIC) - 1 || memcmp(text, MAGIC, sizeof(MAGIC) - 1))
		saved_is_wrong(size && memcmp(text, MAGIC, size < sizeof(MAGIC) ? size :
							   sizeof(MAGIC) - 1) ?
			       "not a search that nap-check has saved" : "cut off");
	if (size < length + sizeof(MAGIC) || memcmp(text + end, "end ", 4) ||
	    text[size - 1] != '\n')
		saved_is_wrong("cut off");
	if (strtoul(text + end + 4, &after, 16) != sum_of(text, end) || after != text + size - 1)
		saved_is_wrong("damaged: its sum is not that of its contents");
	return end;
}

/* Reads the next line by @format, which finds one number in it. The number has to be @sum. */
static void check_line(FILE *in, const char *format, uint64_t sum, const char *why)
{
	char line[64];
	unsigned long is;

	if (!fgets(line, sizeof(line), in) || sscanf(line, format, &is) != 1 || is != sum)
		saved_is_wrong(why);
}

static void check_options(FILE *in)
{
	const char *now = with ? with : "";
	char *line = NULL, *why = NULL;
	size_t room = 0;

	if (getline(&line, &room, in) < 0 || strncmp(line, "with ", 5))
		saved_is_wrong("damaged: no options");
	line[strcspn(line, "\n")] = 0;
	if (strcmp(line + 5, now)) {
		if (asprintf(&why, "saved with other options: '%s', not '%s'", line + 5, now) > 0)
			saved_is_wrong(why);
		saved_is_wrong("saved with other options");
	}
	free(line);
}

static void read_records(FILE *in)
{
	struct record **last = &records;
	char line[256];

	while (fgets(line, sizeof(line), in)) {
		struct record *r = calloc(1, sizeof(*r));

		if (sscanf(line, "scenario %63s %15s %15s %zu", r->name, r->model, r->state,
			   &r->size) != 4)
			saved_is_wrong("damaged: no scenario");
		r->text = malloc(r->size + 1);
		if (!r->text || (r->size && fread(r->text, r->size, 1, in) != 1))
			saved_is_wrong("damaged: a scenario is cut off");
		*last = r;
		last = &r->next;
	}
}

void saved_load(const char *file)
{
	size_t size, end;
	char *text = read_whole(file, &size);
	FILE *in;

	end = check_sum(text, size);
	in = fmemopen(text, end, "r");
	if (!in || fseek(in, sizeof(MAGIC) - 1, SEEK_SET))
		saved_is_wrong("cannot be read");
	check_line(in, "by %lx", sum_of_checker(), "saved by another version of nap-check");
	check_line(in, "of %lx", sum_of_program(),
		   "of another program, or of this one compiled otherwise");
	check_options(in);
	read_records(in);
	fclose(in);
	free(text);
}

static struct record *find(const char *name, const char *model)
{
	struct record *r = records;

	while (r && (strcmp(r->name, name) || strcmp(r->model, model)))
		r = r->next;
	return r;
}

const char *saved_of(const char *name, const char *model, bool *finished, size_t *size)
{
	const struct record *r = find(name, model);

	if (!r)
		return NULL;
	*finished = !strcmp(r->state, "finished");
	*size = r->size;
	return r->text;
}

/* ---- writing */

void saved_check_target(const char *file)
{
	char text[sizeof(MAGIC)] = "";
	FILE *in = fopen(file, "r");
	struct stat st;

	if (!in && errno == ENOENT)
		return;
	if (!in || fstat(fileno(in), &st))
		bad_usage(strerror(errno), file);
	if (!S_ISREG(st.st_mode))
		bad_usage("not a file", file);
	if (fread(text, 1, sizeof(MAGIC) - 1, in) && strcmp(text, MAGIC))
		bad_usage("there is another file, which is no saved search", file);
	fclose(in);
}

static char *make_text(size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	fprintf(out, MAGIC "by %016lx\nof %016lx\nwith %s\n", sum_of_checker(), sum_of_program(),
		with ? with : "");
	for (const struct record *r = records; r; r = r->next) {
		fprintf(out, "scenario %s %s %s %zu\n", r->name, r->model, r->state, r->size);
		fwrite(r->text, 1, r->size, out);
	}
	fflush_unlocked(out);
	fprintf(out, "end %016lx\n", sum_of(text, *size));
	return fclose(out) ? NULL : text;
}

bool saved_keep(const char *name, const char *model, bool finished, const char *text, size_t size)
{
	struct record *r = find(name, model), **last = &records;

	if (!r) {
		while (*last)
			last = &(*last)->next;
		r = *last = calloc(1, sizeof(*r));
		snprintf(r->name, sizeof(r->name), "%s", name);
		snprintf(r->model, sizeof(r->model), "%s", model);
	}
	snprintf(r->state, sizeof(r->state), "%s", finished ? "finished" : "open");
	free(r->text);
	r->text = memcpy(malloc(size + 1), text, size);
	r->size = size;
	text = options.save ? make_text(&size) : NULL;
	if (!options.save || (text && file_replace(options.save, text, size))) {
		free((void *)(uintptr_t)text);
		return true;
	}
	fprintf(stderr, "%s: %s: not saved: %s\n", program_name(), options.save, strerror(errno));
	free((void *)(uintptr_t)text);
	return false;
}
