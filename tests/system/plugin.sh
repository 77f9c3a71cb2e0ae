#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests a plugin that uses nap. A program that does not know of nap loads the plugin and unloads it.
# The plugin is linked with the shared library, which stays in the process after the unloading; and
# with the static library, which is unloaded with the plugin. KTAP.

build=${NAP_BUILD:-build}
. "$(dirname "$0")/check.inc"

echo "TAP version 13"
echo "1..7"

readelf -d "$build/libnap.so.1" >"$tmp/out" && grep -q 'FLAGS_1.*NODELETE' "$tmp/out"
check "the library says that it is not to be unloaded"

cat >"$tmp/plugin.c" <<'END'
#include <nap/nap.h>

static struct nap_pool pool;
static unsigned nr_run;

static void count(struct nap_task *task)
{
	(void)task;
	__atomic_add_fetch(&nr_run, 1, __ATOMIC_RELAXED);
}

static void call(struct nap_worker *worker, void *arg)
{
	(void)worker;
	count(arg);
}

/* From any thread; how many tasks and calls have been run so far, or a negative errno. */
int use(void)
{
	struct nap_task task = NAP_TASK_INIT(count);
	int err = nap_schedule(&pool, &task);

	if (!err)
		err = nap_call(&pool, call, NULL);
	if (!err)
		err = nap_pool_quiesce(&pool);
	return err ? err : (int)__atomic_load_n(&nr_run, __ATOMIC_RELAXED);
}

int end(void)
{
	return nap_pool_join(&pool, NULL);
}
END

# The host's second thread ends, and its child begins, when the plugin is gone.
cat >"$tmp/host.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int (*use)(void), (*end)(void);
static pthread_barrier_t used, gone;

static void *second(void *arg)
{
	int *result = arg;

	*result = use();
	pthread_barrier_wait(&used);
	pthread_barrier_wait(&gone);
	return NULL;
}

static int once(const char *name)
{
	void *plugin = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	int result = 0, status = -1;
	pthread_t thread;
	pid_t child;

	if (!plugin)
		return puts(dlerror());
	*(void **)&use = dlsym(plugin, "use");
	*(void **)&end = dlsym(plugin, "end");
	pthread_create(&thread, NULL, second, &result);
	pthread_barrier_wait(&used);
	if (result != 2 || use() != 4 || end())
		return puts("the pool did not do its work");
	dlclose(plugin);
	pthread_barrier_wait(&gone);
	pthread_join(thread, NULL);
	child = fork();
	if (child == 0)
		_exit(42);
	waitpid(child, &status, 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 42)
		return puts("the child failed");
	return 0;
}

int main(int argc, char **argv)
{
	void *library;

	pthread_barrier_init(&used, NULL, 2);
	pthread_barrier_init(&gone, NULL, 2);
	for (int i = 0; i < 3; i++)
		if (once(argv[1]))
			return 1;
	library = dlopen("libnap.so.1", RTLD_NOW | RTLD_NOLOAD);
	return puts(library ? "there" : "gone") < 0 || argc != 2;
}
END

gcc -Wall -Wextra -Werror -O1 -o "$tmp/host" "$tmp/host.c" -pthread -ldl >"$tmp/out" 2>&1
check "the program compiles without nap"
plugin="gcc -Wall -Wextra -Werror -O1 -fPIC -shared -Iinclude"
$plugin -o "$tmp/shared.so" "$tmp/plugin.c" -L"$build" -lnap -pthread >"$tmp/out" 2>&1
check "the plugin links with the shared library"
LD_LIBRARY_PATH=$build "$tmp/host" "$tmp/shared.so" >"$tmp/out" 2>"$tmp/err" && grep -qx there "$tmp/out"
check "it comes and goes, and the library stays"
$plugin -o "$tmp/static.so" "$tmp/plugin.c" "$build/libnap.a" -pthread >"$tmp/out" 2>&1
check "the plugin links with the static library"
"$tmp/host" "$tmp/static.so" >"$tmp/out" 2>"$tmp/err" && grep -qx gone "$tmp/out"
check "it comes and goes, with the library in it"
$plugin -Wl,-z,nodelete -o "$tmp/kept.so" "$tmp/plugin.c" "$build/libnap.a" -pthread >"$tmp/out" 2>&1 &&
	readelf -d "$tmp/kept.so" | grep -q NODELETE
check "and says that it stays where a pool is not joined before"
