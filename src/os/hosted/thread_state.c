/* SPDX-License-Identifier: MIT */
/* The state that a libc and a C++ runtime keep for each thread, and that moves with a fiber. */
#include "os/os.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#include "arch/atomic.h"

/* A function of the C++ runtime: returns the calling thread's struct nap__os_caught. */
struct nap__os_caught *__cxa_get_globals(void) __attribute__((weak));

/*
 * Atomic: the address of __cxa_get_globals(), or NULL while no C++ runtime is known. A runtime that
 * the program loads later is found through the loader: find_runtime().
 */
static struct nap__os_caught *(*get_globals)(void) = __cxa_get_globals;

/* These names are weak, so that a static program does not link the functions only for this. */
void *dlopen(const char *name, int flags) __attribute__((weak));
void *dlsym(void *handle, const char *name) __attribute__((weak));
int dl_iterate_phdr(int (*see)(struct dl_phdr_info *info, size_t size, void *arg), void *arg)
	__attribute__((weak));

/*
 * Finds gcc's or LLVM's C++ runtime by its file name, because a failing dlsym() would change
 * dlerror().
 */
static int see_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	char *name = arg;
	size_t n = info->dlpi_name ? strlen(info->dlpi_name) : 0;

	(void)size;
	if (!n || n >= 4096 || (!strstr(info->dlpi_name, "/libstdc++.so") &&
				!strstr(info->dlpi_name, "/libc++abi.so")))
		return 0;
	memcpy(name, info->dlpi_name, n + 1);
	return 1;
}

/*
 * Finds a C++ runtime that the program has loaded, and keeps it loaded: there is no dlclose(). Not
 * inlined, because the buffer of the name is large.
 */
static __attribute__((noinline)) void find_runtime(void)
{
	char name[4096];
	void *runtime;

	if (!dl_iterate_phdr(see_object, name))
		return;
	runtime = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
	if (runtime)
		nap_store_relaxed(&get_globals, (struct nap__os_caught *(*)(void))(uintptr_t)
				  dlsym(runtime, "__cxa_get_globals"));
}

void nap__os_thread_state_look(void)
{
	int err = errno;

	if (!nap_load_relaxed(&get_globals) && dl_iterate_phdr && dlopen && dlsym)
		find_runtime();
	errno = err;
}

void nap__os_thread_find(struct nap__os_thread *thread)
{
	struct nap__os_caught *(*get)(void) = nap_load_relaxed(&get_globals);

	thread->err = &errno;
	thread->caught = get ? get() : NULL;
}
