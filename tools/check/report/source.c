/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/html.h"
#include "report/source.h"

#define MOST_FILES	16
/* How many lines before and after a marked line are shown, too. */
#define LINES_BEFORE	3
#define LINES_AFTER	2
#define LARGEST		(4u << 20)

static struct file {
	char path[512], name[96];
	char *text;		/* each line ends with 0; NULL: not readable */
	unsigned nr_lines;
	char **line;		/* from 1 on */
	bool *shown, *wrong;
} files[MOST_FILES];
static unsigned nr_files;

/* ---- reading */

static char *read_whole(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text = in ? malloc(LARGEST + 1) : NULL;
	size_t size = text ? fread(text, 1, LARGEST, in) : 0;

	if (in)
		fclose(in);
	if (text && !size) {
		free(text);
		return NULL;
	}
	if (text) {
		text[size] = 0;
		text = realloc(text, size + 1);
	}
	return text;
}

static void split(struct file *file)
{
	unsigned room = 2;

	for (const char *c = file->text; *c; c++)
		room += *c == '\n';
	file->line = calloc(room + 1, sizeof(*file->line));
	file->shown = calloc(room + 1, sizeof(*file->shown));
	file->wrong = calloc(room + 1, sizeof(*file->wrong));
	for (char *at = file->text; at && *at && file->line && file->shown && file->wrong; ) {
		char *end = strchr(at, '\n');

		file->line[++file->nr_lines] = at;
		if (end)
			*end = 0;
		at = end ? end + 1 : NULL;
	}
}

/* Returns the number of the file, or MOST_FILES. */
static unsigned file_of(const struct place *place)
{
	unsigned i = 0;

	while (i < nr_files && strcmp(files[i].path, place->path))
		i++;
	if (i < nr_files || i == MOST_FILES)
		return i;
	nr_files++;
	memset(&files[i], 0, sizeof(files[i]));
	snprintf(files[i].path, sizeof(files[i].path), "%s", place->path);
	snprintf(files[i].name, sizeof(files[i].name), "%s", place->line);
	if (strchr(files[i].name, ':'))
		*strchr(files[i].name, ':') = 0;
	files[i].text = read_whole(place->path);
	if (files[i].text)
		split(&files[i]);
	return i;
}

void source_find(const struct place *place, unsigned *file, unsigned *line)
{
	const char *colon = strchr(place->line, ':');

	*line = colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
	*file = *line && *place->path ? file_of(place) : MOST_FILES;
	if (*file == MOST_FILES)
		*line = 0;
}

const char *source_line(unsigned file, unsigned line)
{
	return file < nr_files && line && line <= files[file].nr_lines ? files[file].line[line] :
									 NULL;
}

/* ---- which lines are shown */

/* Returns the line where the function around @line begins: at the left margin, with arguments. */
static unsigned head_of(const struct file *file, unsigned line)
{
	while (line && !((isalpha((unsigned char)*file->line[line]) || *file->line[line] == '_') &&
			 strchr(file->line[line], '(') && !strchr(file->line[line], ';')))
		line--;
	return line;
}

static void show_around(struct file *file, unsigned line)
{
	unsigned head = line <= file->nr_lines ? head_of(file, line) : 0;

	for (unsigned i = line > LINES_BEFORE ? line - LINES_BEFORE : 1;
	     i <= line + LINES_AFTER && i <= file->nr_lines; i++)
		file->shown[i] = true;
	if (head)
		file->shown[head] = true;
}

/* Shows the lines of a gap, too, if the gap's own mark would take about as much room. */
static void fill_gaps(struct file *file)
{
	file->shown[0] = true;
	for (unsigned i = 1; i + 1 <= file->nr_lines; i++) {
		unsigned next = i;

		while (next <= file->nr_lines && !file->shown[next])
			next++;
		if (file->shown[i - 1] && next > i && next <= file->nr_lines && next - i <= 3)
			memset(&file->shown[i], true, next - i);
	}
}

void source_mark(const struct place *place)
{
	unsigned number, line;

	source_find(place, &number, &line);
	if (!line || line > files[number].nr_lines)
		return;
	files[number].wrong[line] = true;
	show_around(&files[number], line);
	fill_gaps(&files[number]);
}

void source_open(struct rows *rows)
{
	for (unsigned i = 0; i < rows->nr; i++) {
		struct row *row = &rows->row[i];

		source_find(&row->where, &row->file, &row->line);
		if (row->line && files[row->file].shown)
			show_around(&files[row->file], row->line);
	}
	for (unsigned i = 0; i < nr_files; i++)
		if (files[i].shown)
			fill_gaps(&files[i]);
}

void source_close(void)
{
	while (nr_files) {
		struct file *file = &files[--nr_files];

		free(file->text);
		free(file->line);
		free(file->shown);
		free(file->wrong);
	}
}

/* ---- writing */

#define MOST_MARKS	5

/*
 * Writes links to the rows of a line. Returns whether one of them is the fault's, and counts them.
 */
static bool write_marks(FILE *out, const struct rows *rows, unsigned file, unsigned line,
			unsigned *nr)
{
	bool wrong = false;

	*nr = 0;
	for (unsigned i = 0; i < rows->nr; i++) {
		const struct row *row = &rows->row[i];

		if (row->file != file || row->line != line)
			continue;
		wrong |= row->wrong;
		if (++*nr > MOST_MARKS + 1)
			continue;
		if (*nr > MOST_MARKS)
			fputs("\xe2\x80\xa6", out);
		else
			fprintf(out, "<a class=\"t%u\" href=\"#%s%u\">%s%u</a> ",
				(rows->column[row->thread] - 1) % 6, row->e ? "e" : "p",
				row->number, row->e ? "#" : "p", row->number);
	}
	return wrong;
}

static void write_line(FILE *out, const struct rows *rows, unsigned file, unsigned line)
{
	char *marks = NULL;
	size_t size;
	FILE *text = open_memstream(&marks, &size);
	unsigned nr;
	bool wrong = write_marks(text, rows, file, line, &nr) || files[file].wrong[line];

	fclose(text);
	fprintf(out, "<tr id=\"f%ul%u\"%s><th scope=\"row\">%u</th>"
		"<td class=\"marks\">%s</td><td><code>", file, line,
		wrong ? " class=\"wrong\"" : nr ? " class=\"marked\"" : "", line, marks);
	html_text(out, files[file].line[line]);
	fputs("</code></td></tr>\n", out);
	free(marks);
}

static void write_file(FILE *out, const struct rows *rows, unsigned number)
{
	const struct file *file = &files[number];
	bool gap = false;

	fputs("<table class=\"file\"><caption>", out);
	html_text(out, file->name);
	fputs("</caption>\n<tbody>\n", out);
	for (unsigned i = 1; i <= file->nr_lines; i++) {
		if (!file->shown[i]) {
			gap = true;
			continue;
		}
		if (gap)
			fputs("<tr class=\"gap\"><td colspan=\"3\">\xe2\x8b\xae</td></tr>\n", out);
		gap = false;
		write_line(out, rows, number, i);
	}
	if (!file->text)
		fputs("<tr class=\"gap\"><td colspan=\"3\">the file cannot be read</td></tr>\n",
		      out);
	fputs("</tbody></table>\n", out);
}

void source_write(FILE *out, const struct rows *rows)
{
	for (unsigned i = 0; i < nr_files; i++)
		write_file(out, rows, i);
}
