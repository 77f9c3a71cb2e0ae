// SPDX-License-Identifier: MIT
//! Prints the layout of this crate's structures, as `tests/bindings/layout.c` prints that of the headers.
use std::mem::{size_of, size_of_val, MaybeUninit};
use std::ptr::addr_of;

use nap_sys::*;

macro_rules! fields {
	($type:ident $(, $field:ident)*) => {{
		let it = MaybeUninit::<$type>::uninit();
		let _at = it.as_ptr();
		$(print!(" {}", unsafe { addr_of!((*_at).$field) as usize } - _at as usize);)*
		println!();
	}};
}

macro_rules! layout {
	($type:ident $(, $field:ident)*) => {{
		print!("{} {}:", stringify!($type), size_of::<$type>());
		fields!($type $(, $field)*);
	}};
}

/// Checks that the structure has no padding between its fields: padding might not be 0, and the
/// library may read it.
macro_rules! assert_whole {
	($value:expr, $($field:ident),*) => {{
		let it = $value;
		let fields = 0 $(+ size_of_val(&it.$field))*;
		assert_eq!(size_of_val(&it), fields);
	}};
}

fn main() {
	assert_whole!(
		nap_config::ZERO, max_workers, idle, name, stack_size, worker_start, worker_stop, spawn_failed, arg, yields,
		yield_us, blocked, affinity, affinity_size, sched, flags, spin_us, memory, guard_size, most_workers,
		most_blocked, min_workers, between, idle_timeout_ns, classes, measure, later
	);
	layout!(nap_task, next, run);
	layout!(nap_batch, head, tail, count);
	print!("nap_config:");
	fields!(
		nap_config, max_workers, idle, name, stack_size, worker_start, worker_stop, spawn_failed, arg,
		yields, yield_us, blocked, affinity, affinity_size, sched, flags, spin_us,
		memory, guard_size, most_workers, most_blocked, min_workers, idle_timeout_ns, classes, measure
	);
	layout!(nap_group, pool, waiters, state);
	layout!(nap_work, task, run, done, cq, deadline, state, result, gone, told);
	layout!(nap_cq);
	layout!(nap_frame, run, latch, thief, words);
	layout!(nap__forks, line, limit, split);
	println!("{} {} {} {} {} {} {}", EBUSY, EINVAL, EDEADLK, ESHUTDOWN, ETIMEDOUT, EALREADY, ECANCELED);
}
