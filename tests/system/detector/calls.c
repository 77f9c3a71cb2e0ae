/* SPDX-License-Identifier: MIT */
/*
 * Makes as many calls as the argument says, of the calls that report most to a detector.
 * detector_valgrind.sh counts their instructions.
 */
#include "program.h"

int main(int argc, char **argv)
{
	struct nap_group group = NAP_GROUP_INIT(NULL);

	want(argc == 2, "calls N");
	for (int i = atoi(argv[1]); i; i--) {
		nap_group_add(&group, 1);
		nap_group_done(&group);
		nap_group_wait(&group);
	}
	puts("done");
	return 0;
}
