/* SPDX-License-Identifier: MIT */
/*
 * C++'s waits, which may also return without a reason, in a program that checks only once.
 *
 * options --spurious=1
 * verdict main: found: .*: ready
 */
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static bool ready;

int main()
{
	std::thread thread([] {
		std::lock_guard<std::mutex> guard(lock);
		ready = true;
		changed.notify_one();
	});
	{
		std::unique_lock<std::mutex> guard(lock);
		if (!ready)
			changed.wait(guard);
		assert(ready);
	}
	thread.join();
}
