/* SPDX-License-Identifier: MIT */
/*
 * Objects that are destroyed when a thread ends, and when the program ends.
 *
 * verdict main: no fault
 */
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <pthread.h>

static std::atomic<int> ends;
static std::mutex mutex;
static std::condition_variable changed;
static bool ready;

struct counted {
	int value = 0;
	~counted() { ends++; }
};
static thread_local counted one;

/* Constructed before main(), so destroyed last. */
struct last {
	int *memory = new int(1);
	std::thread thread;
	~last()
	{
		thread.join();
		assert(ends == 4);
		delete memory;
	}
} last;

static std::string &in_function()
{
	static std::string string = "a string that is too long to be without memory of its own";
	return string;
}

static void at_exit()
{
	assert(ends == 3);
	ends++;
}

static void use_and_exit()
{
	std::lock_guard<std::mutex> guard(mutex);

	one.value = 1;
	pthread_exit(nullptr);
}

static void notify_at_end()
{
	std::unique_lock<std::mutex> guard(mutex);

	one.value = 1;
	ready = true;
	std::notify_all_at_thread_exit(changed, std::move(guard));
}

int main()
{
	std::thread(use_and_exit).join();
	std::thread thread(notify_at_end);
	{
		std::unique_lock<std::mutex> guard(mutex);

		changed.wait(guard, [] { return ready; });
	}
	thread.join();
	assert(ends == 2);
	assert(!in_function().empty());
	std::atexit(at_exit);
	last.thread = std::thread([] {});
	one.value = 2;
	return 0;
}
