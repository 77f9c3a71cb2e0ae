// SPDX-License-Identifier: MIT
/*
 * Exceptions that threads throw and catch, through locks.
 *
 * verdict main: no fault
 */
#include <cassert>
#include <mutex>
#include <new>
#include <stdexcept>
#include <thread>

static std::mutex lock;
static int count;

struct alignas(64) line {
	int value = 1;
};

static void work(bool fails)
{
	try {
		std::lock_guard<std::mutex> guard(lock);

		count++;
		if (fails)
			throw std::runtime_error("on purpose");
	} catch (const std::exception &e) {
		try {
			std::lock_guard<std::mutex> guard(lock);

			if (e.what()[0] == 'o')
				throw 5;
		} catch (int five) {
			line *lines = new line[2];
			std::lock_guard<std::mutex> guard(lock);

			count += five * lines[1].value;
			delete[] lines;
		}
	}
}

int main()
{
	std::thread a(work, true), b(work, false);

	a.join();
	b.join();
	assert(count == 7);
}
