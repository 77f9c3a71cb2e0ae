# SPDX-License-Identifier: MIT
#
# Prints scenarios with random threads, for reductions.sh.
#
#	awk -v seed=SEED -v n=N -v kind=locks|siblings|retries -f tests/model/reductions.awk
#
# locks: two to four threads with two mutexes. Each thread prints what it reads. siblings: a thread
# starts two or three siblings, which read and write, lock and unlock. Then the starter reports the
# siblings' result, each result as a fault at a line of its own. In some scenarios the starter can
# tell the siblings apart, or other threads write where the siblings begin. retries: two or three
# threads with loops that try a compare-exchange until it succeeds, and plain accesses beside them.
# Each thread prints what it has read, or how many turns it has made.

function below(n)
{
	return int(rand() * n)
}

function one_of(list,	words)
{
	return words[1 + below(split(list, words, " "))]
}

function order(kind)
{
	if (kind == "rmw")
		return "memory_order_" one_of("relaxed acquire release acq_rel seq_cst")
	return "memory_order_" one_of("relaxed seq_cst " (kind == "load" ? "acquire" : "release"))
}

# prints an access; @siblings: the value that is read goes into the result
function access(siblings,	where)
{
	where = one_of("x y")
	if (below(3) == 0)
		printf "\tatomic_store_explicit(&%s, %d, %s);\n", where, 1 + below(2), order("store")
	else if (siblings)
		printf "\tr = r * 3 + (unsigned)atomic_load_explicit(&%s, %s);\n", where, order("load")
	else
		printf "\tprintf(\"%%d\", atomic_load_explicit(&%s, %s));\n", where, order("load")
}

function add()
{
	printf "\tr = r * 3 + atomic_fetch_add_explicit(&%s, 1, %s);\n", one_of("x z z"), order("rmw")
}

# prints a critical section
function locked(depth, siblings,	m)
{
	m = one_of("one two")
	if (!siblings && below(5) == 0) {
		printf "\tif (!pthread_mutex_%s) {\n", below(2) ? "trylock(&" m ")" : "timedlock(&" m ", &(struct timespec){ 1, 0 })"
		access(siblings)
		printf "\tpthread_mutex_unlock(&%s);\n\t}\n", m
		return
	}
	printf "\tpthread_mutex_lock(&%s);\n", m
	if (depth < 1 && below(3) == 0)
		locked(depth + 1, siblings)
	else if (siblings && below(2))
		printf "\tr = r * 3 + (unsigned)plain_%s++;\n", m
	else if (below(4))
		access(siblings)
	# now and then a lock is not given back
	if (below(12))
		printf "\tpthread_mutex_unlock(&%s);\n", m
}

function lock_scenario(i,	threads, t, k, run)
{
	threads = 2 + below(3)
	for (t = 0; t < threads; t++) {
		# some threads run the same function
		run[t] = t && below(3) == 0 ? run[t - 1] : t
		if (run[t] != t)
			continue
		printf "static void l%d_%d(void *arg)\n{\n", i, t
		for (k = 1 + below(threads > 3 ? 1 : threads > 2 ? 2 : 3); k; k--)
			if (below(3))
				locked(0, 0)
			else
				access(0)
		printf "}\n"
	}
	printf "CHECK_SCENARIO(l%d, .models = %s, .threads = {", i, one_of("CHECK_RC11 CHECK_RC11 CHECK_SC CHECK_TSO")
	for (t = 0; t < threads; t++)
		printf " { l%d_%d },", i, run[t]
	printf " });\n\n"
}

# prints one further step of a sibling
function step()
{
	if (below(3) == 0)
		add()
	else if (below(2))
		access(1)
	else
		locked(0, 1)
}

function sibling_scenario(i,	siblings, k, between, other)
{
	siblings = 2 + below(2)
	printf "static void *s%d_sibling(void *arg)\n{\n\tunsigned r = 0;\n\n", i
	if (below(6) == 0)
		printf "\tr = pthread_equal(handles[0], pthread_self());\n"
	if (below(4) == 0)
		printf "\tatomic_thread_fence(%s);\n", order("rmw")
	k = below(8)
	if (k < 3)
		add()
	else if (k < 6)
		locked(0, 1)
	else if (k == 6)
		printf "\tr = pthread_barrier_wait(&barrier) != 0;\n"
	else
		step()
	for (k = 1 + below(4 - siblings); k; k--)
		step()
	printf "\tatomic_fetch_add_explicit(&results, 1u << 2 * (r %% 16), memory_order_relaxed);\n"
	printf "\treturn (void *)(uintptr_t)r;\n}\n"
	other = below(2)
	if (other) {
		printf "static void *s%d_other(void *arg)\n{\n\tunsigned r = 0;\n\n", i
		if (below(2))
			access(1)
		else if (below(2))
			printf "\tatomic_store_explicit(&z, 5, memory_order_relaxed);\n"
		else
			locked(1, 1)
		printf "\treturn NULL;\n}\n"
	}
	between = below(10)
	printf "static void s%d_starter(void *arg)\n{\n\tpthread_t other;\n\tvoid *value;\n\n", i
	printf "\tpthread_barrier_init(&barrier, NULL, %d);\n", siblings
	if (other && below(2)) {
		printf "\tpthread_create(&other, NULL, s%d_other, NULL);\n", i
		other = 2
	}
	for (k = 0; k < siblings; k++) {
		printf "\tpthread_create(&handles[%d], NULL, s%d_sibling, %s);\n", k, i, between == 0 && k ? "&handles" : "NULL"
		if (between == 1 && !k)
			printf "\tatomic_store_explicit(&y, 1, memory_order_relaxed);\n"
		if (between == 2 && !k)
			printf "\tplain_one = 1;\n"
	}
	if (other == 1)
		printf "\tpthread_create(&other, NULL, s%d_other, NULL);\n", i
	for (k = 0; k < siblings; k++) {
		printf "\tpthread_join(handles[%d], %s);\n", k, between == 3 ? "&value" : "NULL"
		if (between == 3)
			printf "\tCHECK(value != (void *)%d);\n", below(3)
		if (between == 4 && !k)
			printf "\tCHECK(atomic_load(&x) != %d);\n", below(3)
	}
	printf "\tseen(atomic_load(&results));\n}\n"
	printf "CHECK_SCENARIO(s%d, .models = %s, .threads = { { s%d_starter } });\n\n", i,
		one_of("CHECK_RC11 CHECK_RC11 CHECK_SC CHECK_TSO"), i
}

# prints a loop of @i's thread @t, in which @k is a number of its own
function retry(t, k,	where, v, kind)
{
	where = one_of("x x y")
	v = "v" k
	kind = below(7)
	printf "\tint %s = __atomic_load_n(&%s, %s)%s;\n", v, where, order("load"), kind == 4 ? ", turns" k " = 0" : ""
	if (kind == 1)
		printf "\tdo\n\t\tnodes[%d] = %s;\n\t", t, v
	else if (kind == 5)
		printf "\tdo {\n\t\tif (!%s)\n\t\t\tnodes[%d] = 7;\n\t} ", v, t
	else if (kind == 2)
		printf "\tdo\n\t\tnodes[%d] = __atomic_load_n(&%s, %s);\n\t", t, where == "x" ? "y" : "x", order("load")
	printf "\twhile (%s!__atomic_compare_exchange_n(&%s, &%s, %s, 0, %s, %s))\n\t\t%s;\n", kind == 3 ? v " < 2 && " : "",
		where, v, kind == 1 || kind == 2 ? "nodes[" t "] + 1" : v " + 1", order("rmw"), order("load"), kind == 4 ? "turns" k "++" : ""
	printf "\tprintf(\"%%d,\", %s);\n", kind == 4 ? "turns" k : kind == 5 ? "nodes[" t "]" : v
}

function retry_scenario(i,	threads, t, k)
{
	threads = 2 + (below(3) == 0)
	for (t = 0; t < threads; t++) {
		printf "static void r%d_%d(void *arg)\n{\n", i, t
		for (k = 1 + below(threads > 2 ? 2 : 3); k; k--)
			if (below(2))
				retry(t, k)
			else if (below(3) == 0)
				access(0)
			else
				printf "\tplain_%s\n", below(2) ? "one++;" : "two = plain_one;"
		printf "}\n"
	}
	printf "CHECK_SCENARIO(r%d, .models = %s, .threads = {", i, one_of("CHECK_RC11 CHECK_RC11 CHECK_SC CHECK_TSO CHECK_C20")
	for (t = 0; t < threads; t++)
		printf " { r%d_%d },", i, t
	printf " });\n\n"
}

BEGIN {
	srand(seed)
	print "#include <nap/check.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdint.h>\n#include <stdio.h>\n"
	print "static atomic_int x, y;\nstatic atomic_uint z, results;\nstatic int plain_one, plain_two, nodes[3];\nstatic pthread_t handles[3];"
	print "static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;\nstatic pthread_barrier_t barrier;\n"
	# each result is another fault
	print "static void seen(unsigned sum)\n{\n\tsum = sum % 61;"
	for (k = 0; k < 61; k++)
		printf "\tCHECK(sum != %d);\n", k
	print "}\n"
	for (k = 1; k <= n; k++)
		if (kind == "locks")
			lock_scenario(k)
		else if (kind == "retries")
			retry_scenario(k)
		else
			sibling_scenario(k)
}
