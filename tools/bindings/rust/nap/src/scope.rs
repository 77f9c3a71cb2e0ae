// SPDX-License-Identifier: MIT
//! Scopes: spawned closures that borrow from the caller's stack.

use std::any::Any;
use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::process;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::thread;
use std::time::Duration;

use nap_sys as sys;

use crate::pool::{Inner, Pool};
use crate::spawn::{schedule, Node};

type Panic = Box<dyn Any + Send>;

/// A scope: closures that are spawned in it have ended when [`Pool::scope`] returns.
pub struct Scope<'scope, 'env: 'scope> {
	pool: &'env Inner,
	/// Counts the closures that have not ended, and the scope's own closure.
	group: UnsafeCell<sys::nap_group>,
	/// The first panic, in a box, or null.
	panic: AtomicPtr<Panic>,
	scope: PhantomData<&'scope mut &'scope ()>,
	env: PhantomData<&'env mut &'env ()>,
}

// The group and the panic are atomic. Closures are Send, so any thread may spawn them.
unsafe impl Sync for Scope<'_, '_> {}

impl<'scope, 'env> Scope<'scope, 'env> {
	/// Has a closure called by some worker, soon. If the pool refuses it, this thread calls it at
	/// once.
	///
	/// Any thread that has a reference to the scope may call this, also in a closure of the
	/// scope.
	pub fn spawn<F: FnOnce() + Send + 'scope>(&'scope self, f: F) {
		let node = Node::new(run::<F>, unrun::<F>);
		let spawned = Spawned { node, scope: self, f };

		// The group cannot count one more: 2^31 closures are under way.
		if unsafe { sys::nap_group_add(self.group.get(), 1) } != 0 {
			self.call(spawned.f);
			return;
		}
		let node = Box::into_raw(Box::new(spawned)).cast::<Node>();
		if unsafe { schedule(self.pool, node) }.is_err() {
			unsafe { run::<F>(node) };
		}
	}

	fn call(&self, f: impl FnOnce()) {
		if let Err(panic) = catch_unwind(AssertUnwindSafe(f)) {
			let new = Box::into_raw(Box::new(panic));

			if self
				.panic
				.compare_exchange(ptr::null_mut(), new, Ordering::Release, Ordering::Relaxed)
				.is_err()
			{
				// Another closure has panicked before, so this panic is dropped,
				// and a panic of its destructor, too.
				let late = unsafe { Box::from_raw(new) };
				let _ = catch_unwind(AssertUnwindSafe(|| drop(late)));
			}
		}
	}

	/// Waits until every closure has ended. Returns false in the child of a fork: closures that
	/// had not begun at the fork, or ran on another thread then, never end there.
	fn wait(&self) -> bool {
		let mut stuck = 0;

		unsafe { sys::nap_group_done(self.group.get()) };
		loop {
			match unsafe { sys::nap_group_wait(self.group.get()) } {
				0 => return true,
				SHUTDOWN => return false,
				DEADLK => {
					// For 100 ms no thread could run what is queued. This
					// function cannot return before the queued closures have
					// run.
					stuck += 1;
					if stuck == 10 {
						eprintln!(
							"nap: every worker waits for a scope with half of its stack used, and \
							 no thread is left to run what is queued: let a recursion spawn into \
							 one scope, or join: aborting"
						);
						process::abort();
					}
				}
				// C code has stopped the pool, or this is a fiber that was
				// canceled. Closures that run still use what they have borrowed, so
				// the wait goes on.
				_ => thread::sleep(Duration::from_millis(1)),
			}
		}
	}
}

const SHUTDOWN: i32 = -sys::ESHUTDOWN;
const DEADLK: i32 = -sys::EDEADLK;

#[repr(C)]
struct Spawned<'scope, 'env, F> {
	node: Node,
	scope: &'scope Scope<'scope, 'env>,
	f: F,
}

unsafe fn run<F: FnOnce()>(node: *mut Node) {
	let Spawned { scope, f, .. } = *unsafe { Box::from_raw(node.cast::<Spawned<'_, '_, F>>()) };
	let group = scope.group.get();

	scope.call(f);
	// The scope may be gone when this call counts down to 0, so neither nap nor this function
	// touches it after that.
	unsafe { sys::nap_group_done(group) };
}

unsafe fn unrun<F>(node: *mut Node) {
	let Spawned { scope, f, .. } = *unsafe { Box::from_raw(node.cast::<Spawned<'_, '_, F>>()) };
	let group = scope.group.get();

	scope.call(|| drop(f));
	unsafe { sys::nap_group_done(group) };
}

impl Pool {
	/// Calls `f` with a scope, in which `f` spawns closures. They may borrow what outlives the call. Returns
	/// what `f` has returned, when all closures have ended.
	///
	/// A worker that waits here runs other tasks, oldest first, nested in this one. So a recursion should spawn
	/// into one scope, by the reference that its closures have, or use [`Worker::join`](crate::Worker::join).
	/// Scopes at every level nest about as deep as there are closures. If that uses half of every worker's stack,
	/// the process is aborted, with a line that says so.
	///
	/// # Panics
	/// If `f` panics, or a closure does, with the first panic, when all closures have ended. In the
	/// child of a fork, if the scope was open at the fork and closures of it had not ended.
	pub fn scope<'env, F, R>(&'env self, f: F) -> R
	where
		F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> R,
	{
		let scope = Scope {
			pool: self.inner(),
			group: UnsafeCell::new(sys::nap_group { pool: self.as_raw(), waiters: 0, state: 0 }),
			panic: AtomicPtr::new(ptr::null_mut()),
			scope: PhantomData,
			env: PhantomData,
		};

		unsafe { sys::nap_group_add(scope.group.get(), 1) };
		let result = catch_unwind(AssertUnwindSafe(|| f(&scope)));
		let is_whole = scope.wait();
		let panic = scope.panic.load(Ordering::Acquire);
		if !panic.is_null() {
			let panic = *unsafe { Box::from_raw(panic) };
			if result.is_ok() {
				drop(result);
				resume_unwind(panic);
			}
		}
		match result {
			Err(panic) => resume_unwind(panic),
			Ok(_) if !is_whole => panic!("nap: in the child of a fork: closures of the scope were left in the parent"),
			Ok(result) => result,
		}
	}
}
