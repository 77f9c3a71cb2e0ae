// SPDX-License-Identifier: MIT
//! The pool: its making and its end.

use std::any::Any;
use std::ffi::CString;
use std::fmt;
use std::io;
use std::ptr;
use std::thread;

use nap_sys as sys;

use crate::spawn;

/// The pool was closed, or this is the child of a fork and the pool belongs to the parent. The
/// closure that was given has been dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed;

impl fmt::Display for Closed {
	fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
		f.write_str("the pool takes no more work")
	}
}

impl std::error::Error for Closed {}

type OnPanic = dyn Fn(Box<dyn Any + Send>) + Send + Sync;

/// What must stay at one address while the pool has threads, because tasks point to it.
pub(crate) struct Inner {
	pub(crate) raw: *mut sys::nap_pool,
	pub(crate) on_panic: Option<Box<OnPanic>>,
	_name: Option<CString>,
}

// C allows any thread to make the calls that take &Inner.
unsafe impl Send for Inner {}
unsafe impl Sync for Inner {}

/// A pool of worker threads, which start when work arrives, and sleep when there is none.
///
/// Dropping the pool runs everything that it has accepted, and waits until its threads have ended.
/// If a task drops the last `Arc` of its own pool, a new thread waits instead.
pub struct Pool {
	/// `None` only while the pool is dropped.
	inner: Option<Box<Inner>>,
}

/// How a pool is set up: `nap_config`.
#[derive(Default)]
#[must_use]
pub struct Builder {
	workers: u32,
	stack_size: usize,
	name: Option<CString>,
	on_panic: Option<Box<OnPanic>>,
}

impl Builder {
	/// Sets how many workers there may be. 0, the default, means as many as CPUs that the
	/// process may use.
	pub fn workers(mut self, n: u32) -> Self {
		self.workers = n;
		self
	}

	/// Sets the stack of each worker in bytes. 0, the default, means the system's, but at least
	/// 1 MiB.
	pub fn stack_size(mut self, bytes: usize) -> Self {
		self.stack_size = bytes;
		self
	}

	/// Names the workers' threads *name*/0, *name*/1, and so on.
	///
	/// # Panics
	/// If the name contains a 0.
	pub fn name(mut self, name: &str) -> Self {
		self.name = Some(CString::new(name).expect("a name has no 0 inside"));
		self
	}

	/// Sets the function that is called on the worker with the panic of a spawned closure.
	/// Without this function the process is aborted, because no code waits for the closure and
	/// could learn of the panic. If `f` panics, the process is aborted, too.
	pub fn on_panic<F: Fn(Box<dyn Any + Send>) + Send + Sync + 'static>(mut self, f: F) -> Self {
		self.on_panic = Some(Box::new(f));
		self
	}

	/// Makes the pool. No thread starts yet.
	pub fn build(self) -> io::Result<Pool> {
		let config = sys::nap_config {
			max_workers: self.workers,
			stack_size: self.stack_size,
			name: self.name.as_ref().map_or(ptr::null(), |n| n.as_ptr()),
			..sys::nap_config::ZERO
		};
		let mut raw = ptr::null_mut();

		match unsafe { sys::nap_pool_new(&mut raw, &config) } {
			0 => Ok(Pool {
				inner: Some(Box::new(Inner { raw, on_panic: self.on_panic, _name: self.name })),
			}),
			err => Err(io::Error::from_raw_os_error(-err)),
		}
	}
}

impl Pool {
	/// Makes a pool with as many workers as CPUs that the process may use.
	pub fn new() -> io::Result<Pool> {
		Builder::default().build()
	}

	/// Returns a builder, which says how a pool is set up.
	pub fn builder() -> Builder {
		Builder::default()
	}

	pub(crate) fn inner(&self) -> &Inner {
		self.inner.as_ref().expect("a pool that is not dropped")
	}

	/// The C pool, for calls that this crate does not have.
	///
	/// The caller has to end the tasks and works that such calls put into the pool before the
	/// pool is dropped or stopped. A pool that C code stops (`NAP_STOP`) keeps the closures of
	/// open scopes: such a scope waits until another thread joins the pool.
	pub fn as_raw(&self) -> *mut sys::nap_pool {
		self.inner().raw
	}

	/// Has a closure called by some worker, soon.
	///
	/// [`Builder::on_panic`] says what happens if the closure panics.
	pub fn spawn<F: FnOnce() + Send + 'static>(&self, f: F) -> Result<(), Closed> {
		spawn::spawn(self.inner(), f)
	}

	/// Starts workers before there is work, at most `n`, so that the program learns whether any
	/// can be started. (Without workers, scopes and `call` run everything on the calling
	/// thread. But a thread that waits for a spawned closure by other means waits for ever.)
	pub fn prewarm(&self, n: u32) -> io::Result<()> {
		match unsafe { sys::nap_pool_prewarm(self.as_raw(), n) } {
			0 => Ok(()),
			err => Err(io::Error::from_raw_os_error(-err)),
		}
	}

	/// Waits until every spawned closure has run, and the closures that these have spawned.
	/// Returns `false` at once on a worker of the pool, which would wait for itself, and in the
	/// child of a fork.
	pub fn quiesce(&self) -> bool {
		unsafe { sys::nap_pool_quiesce(self.as_raw()) == 0 }
	}

	/// Refuses work from outside from now on. The pool runs what it has accepted, and what that
	/// spawns.
	pub fn close(&self) {
		unsafe { sys::nap_pool_shutdown(self.as_raw(), sys::NAP_DRAIN) };
	}

	/// Ends the pool. Closures that have not begun are dropped here and not run. Works that
	/// have not begun end as canceled, in their queues. Returns how many closures and works had
	/// not begun.
	///
	/// On a worker of the pool a new thread does this, and `stop` returns 0.
	pub fn stop(mut self) -> usize {
		let inner = self.inner.take().expect("a pool that is not dropped");

		unsafe { sys::nap_pool_shutdown(inner.raw, sys::NAP_STOP) };
		end(inner)
	}
}

impl Drop for Pool {
	fn drop(&mut self) {
		if let Some(inner) = self.inner.take() {
			end(inner);
		}
	}
}

/// Joins the pool and gives its memory back. Returns how many closures were left.
fn end(inner: Box<Inner>) -> usize {
	let mut left = sys::nap_batch::EMPTY;
	let mut n = 0;

	match unsafe { sys::nap_pool_join(inner.raw, &mut left) } {
		0 | ALREADY => n = unsafe { spawn::drop_left(&mut left) },
		DEADLK => {
			// This thread is a worker of the pool, or helps it, and may go on with its
			// task. So another thread joins the pool later, and the memory stays until
			// then.
			unsafe { sys::nap_pool_shutdown(inner.raw, sys::NAP_DRAIN) };
			let inner: &'static mut Inner = Box::leak(inner);
			// If no thread can be started, no thread joins the pool, and its memory is
			// lost.
			let _ = thread::Builder::new()
				.name("nap-end".into())
				.spawn(move || end(unsafe { Box::from_raw(inner) }));
			return 0;
		}
		// This is the child of a fork. If its thread is in a task of the pool, the memory
		// stays.
		_ if unsafe { sys::nap_pool_init_child(inner.raw) } != 0 => {
			std::mem::forget(inner);
			return 0;
		}
		_ => {}
	}
	unsafe { sys::nap_pool_free(inner.raw) };
	n
}

const ALREADY: i32 = -sys::EALREADY;
const DEADLK: i32 = -sys::EDEADLK;
