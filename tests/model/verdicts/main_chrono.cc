/* SPDX-License-Identifier: MIT */
/*
 * C++'s waits with a time report that the time is over.
 *
 * verdict main: no fault$
 */
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable condition;
static bool ready;

int main()
{
	using namespace std::chrono_literals;
	auto before = std::chrono::steady_clock::now();
	std::thread other([] {
		std::lock_guard<std::mutex> lock(mutex);
		ready = true;
		condition.notify_one();
	});
	{
		std::unique_lock<std::mutex> lock(mutex);
		bool in_time = condition.wait_for(lock, 20ms, [] { return ready; });
		auto waited = std::chrono::steady_clock::now() - before;

		assert(in_time == ready);
		assert(waited == 0ms || waited == 20ms);
		assert(ready || waited == 20ms);
	}
	other.join();
}
