// SPDX-License-Identifier: MIT
//! Works, and the queue by which an event loop learns of their ends.

use std::any::Any;
use std::cell::{Cell, UnsafeCell};
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::os::raw::{c_int, c_short, c_ulong};
use std::os::unix::io::{AsRawFd, RawFd};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use nap_sys as sys;

use crate::pool::{Closed, Pool};
use crate::spawn::abort_on_panic;

/// Why a work has no result.
pub enum Ended {
	/// The work was canceled before it had begun, or its pool was stopped.
	Canceled,
	/// The work had not begun in its time.
	TimedOut,
	/// The work's closure has panicked.
	Panicked(Box<dyn Any + Send>),
}

impl fmt::Debug for Ended {
	fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
		f.write_str(match self {
			Ended::Canceled => "Canceled",
			Ended::TimedOut => "TimedOut",
			Ended::Panicked(_) => "Panicked(..)",
		})
	}
}

/// The end of a work, as its queue hands it out.
#[derive(Debug)]
pub struct Completion<T> {
	/// The number that was given to [`Queue::schedule`].
	pub id: u64,
	/// What the work has returned.
	pub result: Result<T, Ended>,
}

/// The C queue. Each work that has not ended has a reference, because it will push to the queue.
struct Raw(UnsafeCell<sys::nap_cq>);

// Any thread may push. The calls of the loop need the one &mut Queue.
unsafe impl Send for Raw {}
unsafe impl Sync for Raw {}

/// Where works end: an eventfd for the event loop, and their results.
///
/// The loop polls [`as_raw_fd`](AsRawFd::as_raw_fd) for reading, and calls [`next`](Queue::next) until
/// it returns `None`. Nothing else reads from the fd. When the queue is dropped, works that are under
/// way go on; their results are dropped, on the worker.
pub struct Queue<T> {
	raw: Arc<Raw>,
	of: PhantomData<fn() -> T>,
}

/// A handle of a work. Dropping it does nothing to the work.
#[derive(Clone)]
pub struct Work(Arc<dyn Raised>);

trait Raised: Send + Sync {
	fn raw(&self) -> *mut sys::nap_work;
}

impl Work {
	/// Cancels the work. Returns `true` if the closure will not run: then its completion is
	/// [`Ended::Canceled`]. A closure that runs already learns of this by
	/// [`Running::is_canceled`].
	pub fn cancel(&self) -> bool {
		unsafe { sys::nap_cancel(self.0.raw()) }
	}
}

/// What a work's closure gets when it runs.
pub struct Running<'a> {
	work: *mut sys::nap_work,
	of: PhantomData<&'a ()>,
}

impl Running<'_> {
	/// Whether [`Work::cancel`] was called since the closure began. The call is one load, so it
	/// may be made often.
	pub fn is_canceled(&self) -> bool {
		unsafe { sys::nap_work_is_canceled(self.work) }
	}
}

/// A work's memory. nap has one reference until the work has ended; each handle has another.
#[repr(C)]
struct Node<F, T> {
	/// The first field, because the address of the work is that of the node.
	work: UnsafeCell<sys::nap_work>,
	/// Used by one thread at a time: the worker that runs the work, then the thread that ends
	/// it.
	f: UnsafeCell<Option<F>>,
	result: UnsafeCell<Option<thread::Result<T>>>,
	id: u64,
	/// Keeps the queue, to which the work will push.
	_queue: Arc<Raw>,
}

unsafe impl<F: Send, T: Send> Send for Node<F, T> {}
// A handle can only cancel, and any thread may do that.
unsafe impl<F: Send, T: Send> Sync for Node<F, T> {}

impl<F: Send, T: Send> Raised for Node<F, T> {
	fn raw(&self) -> *mut sys::nap_work {
		self.work.get()
	}
}

thread_local! {
	/// Where `done` has to write the `Completion<T>`: `next` sets this before it runs the end
	/// of a work. Null if the work ends without a loop.
	static TAKES: Cell<*mut ()> = const { Cell::new(ptr::null_mut()) };
}

unsafe extern "C" fn run<F, T>(work: *mut sys::nap_work) -> c_int
where
	F: FnOnce(&Running<'_>) -> T,
{
	let node = work.cast::<Node<F, T>>();
	let running = Running { work, of: PhantomData };

	unsafe {
		if let Some(f) = (*(*node).f.get()).take() {
			*(*node).result.get() = Some(catch_unwind(AssertUnwindSafe(|| f(&running))));
		}
	}
	0
}

unsafe extern "C" fn done<F, T>(work: *mut sys::nap_work, result: c_int) {
	let takes = TAKES.with(|takes| takes.replace(ptr::null_mut()));

	abort_on_panic(|| {
		let node = unsafe { Arc::from_raw(work as *const Node<F, T>) };
		// A closure that was not run is dropped here, although handles of the work may live
		// on.
		let f = unsafe { (*node.f.get()).take() };
		let result = match unsafe { (*node.result.get()).take() } {
			Some(Ok(result)) => Ok(result),
			Some(Err(panic)) => Err(Ended::Panicked(panic)),
			None if result == -sys::ETIMEDOUT => Err(Ended::TimedOut),
			None => Err(Ended::Canceled),
		};

		if !takes.is_null() {
			unsafe { *takes.cast::<Option<Completion<T>>>() = Some(Completion { id: node.id, result }) };
		}
		drop(f);
	});
}

impl<T: Send + 'static> Queue<T> {
	/// Opens a queue, with an eventfd of its own.
	pub fn new() -> io::Result<Queue<T>> {
		let raw = Arc::new(Raw(UnsafeCell::new(sys::nap_cq { private: [0; 14] })));

		match unsafe { sys::nap_cq_init(raw.0.get()) } {
			0 => Ok(Queue { raw, of: PhantomData }),
			err => Err(io::Error::from_raw_os_error(-err)),
		}
	}

	/// Has a closure called by some worker, soon. The result comes out of this queue, with
	/// `id`.
	pub fn schedule<F>(&self, pool: &Pool, id: u64, f: F) -> Result<Work, Closed>
	where
		F: FnOnce(&Running<'_>) -> T + Send + 'static,
	{
		self.schedule_at(pool, id, 0, f)
	}

	/// As `schedule`, but the closure is called within `time` or not at all.
	pub fn schedule_within<F>(&self, pool: &Pool, id: u64, time: Duration, f: F) -> Result<Work, Closed>
	where
		F: FnOnce(&Running<'_>) -> T + Send + 'static,
	{
		let ns = u64::try_from(time.as_nanos()).unwrap_or(sys::NAP_FOREVER);

		self.schedule_at(pool, id, unsafe { sys::nap_deadline(ns) }, f)
	}

	fn schedule_at<F>(&self, pool: &Pool, id: u64, deadline: u64, f: F) -> Result<Work, Closed>
	where
		F: FnOnce(&Running<'_>) -> T + Send + 'static,
	{
		const TASK: sys::nap_task = sys::nap_task { next: ptr::null_mut(), run: None };
		let node: Arc<Node<F, T>> = Arc::new(Node {
			work: UnsafeCell::new(sys::nap_work {
				task: TASK,
				run: Some(run::<F, T>),
				done: Some(done::<F, T>),
				cq: self.raw.0.get(),
				deadline,
				state: 0,
				result: 0,
				gone: None,
				told: TASK,
			}),
			f: UnsafeCell::new(Some(f)),
			result: UnsafeCell::new(None),
			id,
			_queue: self.raw.clone(),
		});
		let work = Work(node.clone());
		// The address of the whole node, from which done() makes the Arc again.
		let raw = Arc::into_raw(node);

		if unsafe { sys::nap_work_schedule(pool.as_raw(), raw as *mut sys::nap_work) } == 0 {
			return Ok(work);
		}
		drop(unsafe { Arc::from_raw(raw) });
		Err(Closed)
	}

	/// Returns the next work that has ended. `None` means that there is none; the fd becomes
	/// readable when one ends.
	#[allow(clippy::should_implement_trait)]
	pub fn next(&mut self) -> Option<Completion<T>> {
		let task = unsafe { sys::nap_cq_pop(self.raw.0.get()) };
		let mut taken: Option<Completion<T>> = None;

		if task.is_null() {
			return None;
		}
		TAKES.with(|takes| takes.set((&mut taken as *mut Option<Completion<T>>).cast()));
		unsafe {
			if let Some(run) = (*task).run {
				run(task);
			}
		}
		debug_assert!(taken.is_some(), "only this crate pushes to the queue");
		taken
	}

	/// Sleeps until a work has ended, but no longer than `time`; `None` means without a bound.
	/// Returns whether [`next`](Queue::next) may have something. For a thread that has no loop.
	pub fn wait(&mut self, time: Option<Duration>) -> io::Result<bool> {
		#[repr(C)]
		struct PollFd {
			fd: c_int,
			events: c_short,
			revents: c_short,
		}
		extern "C" {
			fn poll(fds: *mut PollFd, n: c_ulong, timeout: c_int) -> c_int;
		}
		const POLLIN: c_short = 1;
		let mut fd = PollFd { fd: self.as_raw_fd(), events: POLLIN, revents: 0 };
		// Rounded up to milliseconds, so that the wait is not shorter than asked.
		let ms = time.map_or(-1, |t| c_int::try_from((t.as_nanos() + 999_999) / 1_000_000).unwrap_or(c_int::MAX));

		match unsafe { poll(&mut fd, 1, ms) } {
			-1 => match io::Error::last_os_error() {
				err if err.kind() == io::ErrorKind::Interrupted => Ok(false),
				err => Err(err),
			},
			n => Ok(n > 0),
		}
	}
}

impl<T> AsRawFd for Queue<T> {
	fn as_raw_fd(&self) -> RawFd {
		unsafe { sys::nap_cq_fd(self.raw.0.get()) }
	}
}

impl<T> Drop for Queue<T> {
	fn drop(&mut self) {
		let mut left = sys::nap_batch::EMPTY;

		unsafe {
			sys::nap_cq_close(self.raw.0.get(), &mut left);
			sys::nap_work_end_left(&mut left);
		}
	}
}
