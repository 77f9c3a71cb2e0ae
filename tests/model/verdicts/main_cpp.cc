// SPDX-License-Identifier: MIT
/*
 * verdict main: no fault
 */
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static std::atomic<int> sum;
static bool ready;

int main()
{
	auto three = std::make_shared<int>(3);
	std::thread adder([three] {
		{
			std::lock_guard<std::mutex> guard(lock);
			ready = true;
		}
		changed.notify_one();
		sum.fetch_add(*three);
		sum.notify_one();
	});
	{
		std::unique_lock<std::mutex> guard(lock);
		changed.wait(guard, [] { return ready; });
	}
	sum.wait(0);
	adder.join();
	assert(sum == 3 && three.use_count() == 1);
}
