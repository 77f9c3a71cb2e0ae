/* SPDX-License-Identifier: MIT */
/*
 * A thread that goes on using what the program's end has destroyed.
 *
 * verdict main: found: (use of freed memory|data race)
 */
#include <atomic>
#include <thread>
#include <vector>

static std::vector<int> &numbers()
{
	static std::vector<int> all{ 1, 2, 3 };
	return all;
}

static std::atomic<int> sum;

int main()
{
	numbers();
	std::thread([] { sum += numbers()[2]; }).detach();
	return 0;
}
