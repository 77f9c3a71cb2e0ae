// SPDX-License-Identifier: MIT
//! Fork and join: a job lies in the frame of the function that forks it; a cache line of the worker
//! points to it.

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::os::raw::c_void;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::atomic::{compiler_fence, Ordering};
use std::thread;

use nap_sys as sys;

use crate::pool::{Closed, Pool};
use crate::spawn::abort_on_panic;

/// The worker that runs the calling thread's code, inside [`Pool::call`] and inside the closures of
/// [`Worker::join`]. It cannot be sent to another thread.
pub struct Worker<'a> {
	raw: *mut sys::nap_worker,
	/// Makes the struct neither `Send` nor `Sync`, as the pointer does.
	here: PhantomData<&'a ()>,
}

/// A job, which the forking thread and the running thread share. The job is on the forking thread's
/// stack until the join.
struct Job<B, R> {
	b: UnsafeCell<Option<B>>,
	result: UnsafeCell<Option<thread::Result<R>>>,
}

impl<B, R> Job<B, R> {
	/// Takes the closure, for the thread that runs it: a thief, or the thread that has forked it.
	///
	/// # Safety
	/// The pool has given the job to the calling thread.
	unsafe fn take(&self) -> Option<B> {
		let b = unsafe { (*self.b.get()).take() };

		// Another thread's fork(2) may copy this memory at any time. The closure is taken
		// out before it runs, so the child never runs it again.
		compiler_fence(Ordering::SeqCst);
		b
	}
}

impl Worker<'_> {
	/// The index of the worker in its pool; `u32::MAX` if a thread from outside runs the call
	/// without a record.
	pub fn index(&self) -> u32 {
		unsafe { sys::nap_worker_index(self.raw) }
	}

	/// Runs both closures, `b` on another worker if one is free before `a` has ended. Returns both
	/// results. Nothing is allocated.
	///
	/// If a closure panics, `join` panics when both have ended; if both panic, with the panic
	/// of `a`. If `a` panics before another worker has taken `b`, `b` is dropped.
	///
	/// # Panics
	/// In the child of a fork, if another worker had begun `b` before the fork: `b` cannot be run again.
	#[inline]
	pub fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
	where
		A: FnOnce(&Worker<'_>) -> RA,
		B: FnOnce(&Worker<'_>) -> RB + Send,
		RB: Send,
	{
		let job = Job { b: UnsafeCell::new(Some(b)), result: UnsafeCell::new(None) };
		// `a` may fork on this worker, but joins its jobs before it returns. So the job of
		// this frame is the youngest again at the join, which is made even if `a` panics.
		let top = unsafe {
			let top = sys::nap_top(self.raw);

			(*top).words[0] = (&job as *const Job<B, RB>) as u64;
			sys::nap_fork(self.raw, top, run::<B, RB>);
			top
		};
		let ra = catch_unwind(AssertUnwindSafe(|| a(self)));
		let is_ours = unsafe { sys::nap_join(self.raw, top) };
		let ra = match ra {
			Ok(ra) => ra,
			Err(panic) => {
				// The destructors of `b`, or of its result, must not replace the
				// panic.
				let _ = catch_unwind(AssertUnwindSafe(|| drop(job)));
				resume_unwind(panic)
			}
		};
		if is_ours {
			match unsafe { job.take() } {
				Some(b) => return (ra, b(self)),
				None => panic!("nap: in the child of a fork: the job was begun in the parent"),
			}
		}
		match job.result.into_inner() {
			Some(Ok(rb)) => (ra, rb),
			Some(Err(panic)) => resume_unwind(panic),
			None => unreachable!("a job that was run has a result"),
		}
	}
}

/// Runs the job, on the worker that has stolen it.
unsafe extern "C" fn run<B, R>(worker: *mut sys::nap_worker, _: *mut sys::nap_frame, frame: *mut sys::nap_frame)
where
	B: FnOnce(&Worker<'_>) -> R + Send,
	R: Send,
{
	unsafe {
		let job = &*((*frame).words[0] as *const Job<B, R>);
		let here = Worker { raw: worker, here: PhantomData };

		if let Some(b) = job.take() {
			*job.result.get() = Some(catch_unwind(AssertUnwindSafe(|| b(&here))));
		}
	}
}

struct Call<F, R> {
	f: Option<F>,
	result: Option<thread::Result<R>>,
}

unsafe extern "C" fn call<F, R>(worker: *mut sys::nap_worker, arg: *mut c_void)
where
	F: FnOnce(&Worker<'_>) -> R,
{
	let call = unsafe { &mut *arg.cast::<Call<F, R>>() };
	let here = Worker { raw: worker, here: PhantomData };

	if let Some(f) = call.f.take() {
		call.result = Some(catch_unwind(AssertUnwindSafe(|| f(&here))));
	}
}

impl Pool {
	/// Calls a closure that may [`join`](Worker::join), and waits until it has returned. The
	/// calling thread runs the closure, as a worker of the pool. If 16 threads already run such
	/// closures, another worker may run it.
	///
	/// A panic of the closure goes on in the caller.
	pub fn call<F, R>(&self, f: F) -> Result<R, Closed>
	where
		F: FnOnce(&Worker<'_>) -> R + Send,
		R: Send,
	{
		let mut arg = Call { f: Some(f), result: None };
		let err = unsafe {
			sys::nap_call(self.as_raw(), call::<F, R>, (&mut arg as *mut Call<F, R>).cast())
		};

		match arg.result {
			Some(Ok(result)) => Ok(result),
			Some(Err(panic)) => resume_unwind(panic),
			None => {
				debug_assert!(err != 0);
				// A closure that has begun and has no result is the parent's, and
				// this is the child of a fork: nothing to drop.
				abort_on_panic(|| drop(arg.f));
				Err(Closed)
			}
		}
	}
}
