/* SPDX-License-Identifier: MIT */
/*
 * The checker's validation suite: the litmus shapes (litmus_shapes.h) as scenarios, each with the
 * models under which its outcome is allowed. Threads interpret their operations, which are parsed
 * before anything runs and only read from then on; every access is the compiler's own, with an
 * order that is a constant.
 *
 * litmus_counts.sh compares the numbers of executions with what enumerate.c says they must be.
 */
#include <stdatomic.h>

#include <nap/check.h>

#include "litmus_ops.h"
#include "litmus_shapes.h"

_Static_assert(SHAPE_SC == CHECK_SC && SHAPE_TSO == CHECK_TSO && SHAPE_RC11 == CHECK_RC11,
	"the enumerator's models are the checker's");

static struct litmus_program programs[LITMUS_SHAPES];
static struct check_scenario scenarios[LITMUS_SHAPES];

static _Atomic int locations[LITMUS_LOCATIONS];

/* Each thread writes its own row. */
static int registers[LITMUS_THREADS][LITMUS_REGISTERS];
static const struct litmus_program *running;

static int load(_Atomic int *location, int order)
{
	switch (order) {
	case LITMUS_ACQ:
		return atomic_load_explicit(location, memory_order_acquire);
	case LITMUS_SC:
		return atomic_load_explicit(location, memory_order_seq_cst);
	default:
		return atomic_load_explicit(location, memory_order_relaxed);
	}
}

static void store(_Atomic int *location, int value, int order)
{
	switch (order) {
	case LITMUS_REL:
		atomic_store_explicit(location, value, memory_order_release);
		break;
	case LITMUS_SC:
		atomic_store_explicit(location, value, memory_order_seq_cst);
		break;
	default:
		atomic_store_explicit(location, value, memory_order_relaxed);
		break;
	}
}

static int fetch_add(_Atomic int *location, int value, int order)
{
	switch (order) {
	case LITMUS_ACQ:
		return atomic_fetch_add_explicit(location, value, memory_order_acquire);
	case LITMUS_REL:
		return atomic_fetch_add_explicit(location, value, memory_order_release);
	case LITMUS_AR:
		return atomic_fetch_add_explicit(location, value, memory_order_acq_rel);
	case LITMUS_SC:
		return atomic_fetch_add_explicit(location, value, memory_order_seq_cst);
	default:
		return atomic_fetch_add_explicit(location, value, memory_order_relaxed);
	}
}

static int exchange(_Atomic int *location, int value, int order)
{
	switch (order) {
	case LITMUS_ACQ:
		return atomic_exchange_explicit(location, value, memory_order_acquire);
	case LITMUS_REL:
		return atomic_exchange_explicit(location, value, memory_order_release);
	case LITMUS_AR:
		return atomic_exchange_explicit(location, value, memory_order_acq_rel);
	case LITMUS_SC:
		return atomic_exchange_explicit(location, value, memory_order_seq_cst);
	default:
		return atomic_exchange_explicit(location, value, memory_order_relaxed);
	}
}

/* The pairs of orders that the shapes use. */
static int compare_exchange(_Atomic int *location, int expected, int value, int order, int failure)
{
	switch (order * LITMUS_ORDERS + failure) {
	case LITMUS_RLX * LITMUS_ORDERS + LITMUS_RLX:
		atomic_compare_exchange_strong_explicit(location, &expected, value,
			memory_order_relaxed, memory_order_relaxed);
		break;
	case LITMUS_ACQ * LITMUS_ORDERS + LITMUS_RLX:
		atomic_compare_exchange_strong_explicit(location, &expected, value,
			memory_order_acquire, memory_order_relaxed);
		break;
	case LITMUS_ACQ * LITMUS_ORDERS + LITMUS_ACQ:
		atomic_compare_exchange_strong_explicit(location, &expected, value,
			memory_order_acquire, memory_order_acquire);
		break;
	case LITMUS_AR * LITMUS_ORDERS + LITMUS_RLX:
		atomic_compare_exchange_strong_explicit(location, &expected, value,
			memory_order_acq_rel, memory_order_relaxed);
		break;
	case LITMUS_AR * LITMUS_ORDERS + LITMUS_ACQ:
		atomic_compare_exchange_strong_explicit(location, &expected, value,
			memory_order_acq_rel, memory_order_acquire);
		break;
	default:
		check_fail("the table has a compare-exchange that litmus.c lacks");
	}
	return expected;
}

static void fence(int order)
{
	switch (order) {
	case LITMUS_ACQ:
		atomic_thread_fence(memory_order_acquire);
		break;
	case LITMUS_REL:
		atomic_thread_fence(memory_order_release);
		break;
	case LITMUS_AR:
		atomic_thread_fence(memory_order_acq_rel);
		break;
	case LITMUS_SC:
		atomic_thread_fence(memory_order_seq_cst);
		break;
	default:
		check_fail("the table has a fence that litmus.c lacks");
	}
}

static int value_of(const int *own, struct litmus_value value)
{
	return value.is_register ? own[value.number] : value.number;
}

static void access(const struct litmus_op *op, int *own)
{
	_Atomic int *location = &locations[op->location];
	int value = value_of(own, op->value);

	switch (op->kind) {
	case LITMUS_LOAD:
		own[op->result] = load(location, op->order);
		break;
	case LITMUS_STORE:
		store(location, value, op->order);
		break;
	case LITMUS_ADD:
		own[op->result] = fetch_add(location, value, op->order);
		break;
	case LITMUS_EXCHANGE:
		own[op->result] = exchange(location, value, op->order);
		break;
	default:
		own[op->result] = compare_exchange(location, value_of(own, op->expected), value,
			op->order, op->failure);
		break;
	}
}

static void run_thread(void *arg)
{
	const struct litmus_thread *thread = arg;
	int *own = registers[thread->number];

	for (const struct litmus_op *op = thread->op; op < thread->op + thread->ops; op++) {
		switch (op->kind) {
		case LITMUS_FENCE:
			fence(op->order);
			break;
		case LITMUS_SIGNAL:
			atomic_signal_fence(memory_order_seq_cst);
			break;
		case LITMUS_MEMBARRIER:
			check_membarrier();
			break;
		case LITMUS_ONLY_IF:
			if (value_of(own, op->expected) != value_of(own, op->value))
				return;
			break;
		default:
			access(op, own);
			break;
		}
	}
}

/* exists() is not told of which scenario it is asked. */
static void run_first(void *arg)
{
	struct litmus_thread *thread = arg;

	running = (const struct litmus_program *)((char *)thread -
		offsetof(struct litmus_program, thread));
	run_thread(arg);
}

static bool exists(void)
{
	for (int i = 0; i < running->terms; i++) {
		const struct litmus_term *term = &running->term[i];
		int value = term->is_register ?
			registers[running->owner[term->number]][term->number] :
			atomic_load_explicit(&locations[term->number], memory_order_relaxed);

		if (value != term->value)
			return false;
	}
	return true;
}

static void name_locations(void)
{
	static const char names[LITMUS_LOCATIONS][2] = { "u", "v", "w", "x", "y", "z" };

	for (int i = 0; i < LITMUS_LOCATIONS; i++)
		check_name(&locations[i], sizeof(locations[i]), names[i]);
}

__attribute__((constructor)) static void register_shapes(void)
{
	for (size_t i = 0; i < LITMUS_SHAPES; i++) {
		const struct litmus_shape *shape = &litmus_shapes[i];
		struct check_scenario *scenario = &scenarios[i];

		litmus_parse(&programs[i], shape->program, shape->exists);
		*scenario = (struct check_scenario){ .name = shape->name, .file = __FILE__,
			.about = shape->program, .setup = name_locations, .exists = exists,
			.models = CHECK_ALL, .allowed = shape->allowed };
		for (int t = 0; t < programs[i].threads; t++) {
			scenario->threads[t] = (struct check_thread){
				t ? run_thread : run_first, &programs[i].thread[t], NULL };
		}
		check_register(scenario);
	}
}
