/* SPDX-License-Identifier: MIT */
/*
 * Counts the words of files, in C++17. Each file has a fiber, which waits for its turn to read; a
 * loop over the text runs on all workers.
 *
 *	g++ -std=c++17 words.cc -lnap && ./a.out FILE...
 */
#include <nap/fiber.hpp>
#include <nap/nap.hpp>
#include <nap/pool.hpp>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

/* At most 8 files are open at once. */
static nap_sem readers = NAP_SEM_INIT(8);

static std::string read(const char *name)
{
	std::string text;

	nap_sem_acquire(&readers);
	std::ifstream file(name, std::ios::binary);
	text.assign(std::istreambuf_iterator<char>(file), {});
	nap_sem_release(&readers, 1);
	if (!file)
		throw std::runtime_error("cannot be read");
	return text;
}

static size_t count(nap_pool *pool, const std::string &text)
{
	auto is_space = [&](size_t i) {
		return std::isspace(static_cast<unsigned char>(text[i])) != 0;
	};
	size_t words = 0;

	/*
	 * A word begins at a character that is no space, after a space or at the text's beginning.
	 */
	nap::reduce(
		pool, 0, text.size(), words,
		[&](size_t i, size_t &n) { n += !is_space(i) && (!i || is_space(i - 1)); },
		[](size_t &n, size_t right) { n += right; });
	return words;
}

/* An error of the pool ends the program, although fibers still run. */
static void must(int err)
{
	if (!err)
		return;
	std::fprintf(stderr, "words: %s\n", std::strerror(-err));
	std::_Exit(1);
}

int main(int argc, char **argv)
{
	nap::pool pool;
	auto words_of = [&](const char *name) {
		return [&pool, name] { return count(&pool, read(name)); };
	};
	std::deque<nap::fiber<decltype(words_of(""))>> files;
	size_t total = 0;
	int status = 0;

	for (int i = 1; i < argc; i++) {
		files.emplace_back(words_of(argv[i]));
		must(files.back().spawn(&pool));
	}
	for (int i = 1; i < argc; i++) {
		auto &file = files[static_cast<size_t>(i - 1)];

		must(file.await());
		try {
			size_t words = file.result();

			std::printf("%zu %s\n", words, argv[i]);
			total += words;
		} catch (const std::exception &error) {
			std::fprintf(stderr, "%s: %s\n", argv[i], error.what());
			status = 1;
		}
	}
	std::printf("%zu total\n", total);
	return status;
}
