/* SPDX-License-Identifier: MIT */
/* The program of make soak. --help prints what it does. */
#include "soak.h"

int main(int argc, char **argv)
{
	struct soak_options options;
	int status;

	return soak_parse(argc, argv, &options, &status) ? soak_run(&options) : status;
}
