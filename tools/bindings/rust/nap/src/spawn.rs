// SPDX-License-Identifier: MIT
//! Closures in boxes, as tasks.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::process;

use nap_sys as sys;

use crate::pool::{Closed, Inner};

/// The head of every box that this crate hands to a pool as a task.
#[repr(C)]
pub(crate) struct Node {
	task: sys::nap_task,
	/// Runs the closure, and frees the box.
	run: unsafe fn(*mut Node),
	/// Frees the box without running the closure.
	unrun: unsafe fn(*mut Node),
}

impl Node {
	pub(crate) fn new(run: unsafe fn(*mut Node), unrun: unsafe fn(*mut Node)) -> Node {
		Node { task: sys::nap_task { next: std::ptr::null_mut(), run: Some(RUN) }, run, unrun }
	}
}

/// The task function of every such box. drop_left() knows this crate's boxes by the address of this
/// function.
static RUN: sys::nap_task_fn = run_node;

unsafe extern "C" fn run_node(task: *mut sys::nap_task) {
	let node = task.cast::<Node>();

	unsafe { ((*node).run)(node) }
}

/// Gives a box to the pool.
///
/// # Safety
/// `node` is the head of a box that its `run` and `unrun` can free. If the pool refuses
/// the box, the caller owns it again.
pub(crate) unsafe fn schedule(pool: &Inner, node: *mut Node) -> Result<(), Closed> {
	match unsafe { sys::nap_schedule(pool.raw, node.cast()) } {
		0 => Ok(()),
		_ => Err(Closed),
	}
}

/// Ends what a stopped pool has left. Returns how many closures and works there were.
///
/// # Safety
/// `left` is what `nap_pool_join()` has returned.
pub(crate) unsafe fn drop_left(left: &mut sys::nap_batch) -> usize {
	// Works come first, because their tasks are not boxes of this crate.
	let mut n = unsafe { sys::nap_work_end_left(left) };
	let mut task = left.head;

	while !task.is_null() {
		let next = if task == left.tail { std::ptr::null_mut() } else { unsafe { (*task).next } };
		if unsafe { (*task).run }.map(|run| run as usize) == Some(RUN as usize) {
			let node = task.cast::<Node>();
			unsafe { ((*node).unrun)(node) };
			n += 1;
		}
		task = next;
	}
	n
}

#[repr(C)]
struct Spawned<F> {
	node: Node,
	pool: *const Inner,
	f: F,
}

pub(crate) fn spawn<F: FnOnce() + Send + 'static>(pool: &Inner, f: F) -> Result<(), Closed> {
	let node = Node::new(run::<F>, unrun::<F>);
	let node = Box::into_raw(Box::new(Spawned { node, pool, f })).cast::<Node>();
	let scheduled = unsafe { schedule(pool, node) };

	if scheduled.is_err() {
		unsafe { unrun::<F>(node) };
	}
	scheduled
}

unsafe fn unrun<F>(node: *mut Node) {
	let spawned = unsafe { Box::from_raw(node.cast::<Spawned<F>>()) };

	// The closure's destructor may panic. The caller is C code, and a panic must
	// not pass through it.
	abort_on_panic(|| drop(spawned));
}

unsafe fn run<F: FnOnce()>(node: *mut Node) {
	let Spawned { pool, f, .. } = *unsafe { Box::from_raw(node.cast::<Spawned<F>>()) };

	if let Err(panic) = catch_unwind(AssertUnwindSafe(f)) {
		// The pool's memory stays until its tasks have returned.
		match unsafe { &(*pool).on_panic } {
			Some(on_panic) => abort_on_panic(|| on_panic(panic)),
			None => {
				eprintln!("nap: a spawned closure has panicked: aborting (Builder::on_panic)");
				process::abort();
			}
		}
	}
}

/// Calls `f`, and aborts if it panics, because a panic must not pass through the frames of C.
pub(crate) fn abort_on_panic<R>(f: impl FnOnce() -> R) -> R {
	struct Abort;

	impl Drop for Abort {
		fn drop(&mut self) {
			eprintln!("nap: a panic where no one can catch it: aborting");
			process::abort();
		}
	}
	let abort = Abort;
	let result = f();
	std::mem::forget(abort);
	result
}
