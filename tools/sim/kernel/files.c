/* SPDX-License-Identifier: MIT */
/*
 * An eventfd is a counter and a list of sleepers, under a lock. The lock has a line of the
 * simulated memory, which costs what other lines cost. A write wakes each sleeper in the list; a
 * sleeper checks the counter again when it runs.
 */
#include "kernel/files.h"

#include <errno.h>
#include <stddef.h>

#include "kernel/threads.h"
#include "machine/arena.h"
#include "machine/fields.h"

#define MOST_FILES	64
#define FIRST_FD	3

static struct file {
	char *line;			/* of the simulated memory */
	uint64_t count;
	bool open;
	struct thread *first;		/* the sleepers, by next_waiter */
} files[MOST_FILES];
static int nr_files;

static struct file *file_of(int fd)
{
	int i = fd - FIRST_FD;

	return i >= 0 && i < nr_files && files[i].open ? &files[i] : NULL;
}

int file_open(void)
{
	struct file *file = &files[nr_files];

	pay(CAUSE_KERNEL, machine.syscall + machine.eventfd);
	if (nr_files == MOST_FILES)
		return -EMFILE;
	*file = (struct file){ .line = arena_alloc(LINE_SIZE), .open = true };
	if (!file->line)
		return -ENOMEM;
	fields_name(file->line, LINE_SIZE, "kernel: eventfd");
	return FIRST_FD + nr_files++;
}

/* Pays for @ps in the kernel, and then for taking the lock of the file. */
static void lock(struct file *file, uint64_t ps)
{
	uintptr_t address = (uintptr_t)file->line;
	struct moved moved;
	uint64_t way;

	pay(CAUSE_KERNEL, ps);
	turn();
	way = line_access(line_at(address), current->cpu, ACCESS_RMW, current->clock, &moved);
	if (moved.moved)
		fields_count(address, (uintptr_t)lock, current->cpu, ACCESS_RMW, way, &moved);
	pay(CAUSE_KERNEL, way);
	turn();
}

int file_write(int fd)
{
	struct file *file = file_of(fd);

	if (!file)
		return -EBADF;
	lock(file, machine.syscall + machine.eventfd);
	file->count++;
	for (struct thread *thread; (thread = file->first); ) {
		file->first = thread->next_waiter;
		pay(CAUSE_KERNEL, machine.wake);
		thread_wakes(thread, current->clock);
	}
	return 0;
}

uint64_t file_read(int fd)
{
	struct file *file = file_of(fd);
	uint64_t count;

	if (!file)
		return 0;
	lock(file, machine.syscall + machine.eventfd);
	count = file->count;
	file->count = 0;
	return count;
}

void file_close(int fd)
{
	struct file *file = file_of(fd);

	pay(CAUSE_KERNEL, machine.syscall);
	if (file)
		file->open = false;
}

void file_poll(int fd)
{
	struct file *file = file_of(fd);

	if (!file)
		return;
	lock(file, machine.syscall + machine.epoll);
	while (!file->count) {
		pay(CAUSE_KERNEL, machine.context_switch);
		current->next_waiter = file->first;
		file->first = current;
		thread_sleeps();
		lock(file, machine.epoll);
	}
}
