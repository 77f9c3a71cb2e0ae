// SPDX-License-Identifier: MIT
//! The child of a fork: the parent's pool refuses its calls, nothing hangs, nothing runs twice, and
//! a new pool works.

use std::os::raw::c_int;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::Mutex;
use std::thread;

use nap::{Closed, Pool, Queue};

extern "C" {
	fn fork() -> c_int;
	fn waitpid(pid: c_int, status: *mut c_int, options: c_int) -> c_int;
	fn _exit(status: c_int) -> !;
	fn alarm(seconds: u32) -> u32;
}

/// libtest runs tests side by side, and a child must not have another test's half-done output.
static ALONE: Mutex<()> = Mutex::new(());

/// Runs `f` in a child, and ends the child there. `f` returns whether all was right.
fn in_child(f: impl FnOnce() -> bool) {
	unsafe {
		let pid = fork();
		if pid == 0 {
			alarm(60);
			_exit(if catch_unwind(AssertUnwindSafe(f)).unwrap_or(false) { 0 } else { 1 });
		}
		await_child(pid);
	}
}

fn await_child(pid: c_int) {
	let mut status = -1;

	assert!(pid > 0 && unsafe { waitpid(pid, &mut status, 0) } == pid);
	assert_eq!(status, 0);
}

fn end_child(right: bool) -> ! {
	unsafe { _exit(if right { 0 } else { 1 }) }
}

fn message(f: impl FnOnce()) -> String {
	let panic = catch_unwind(AssertUnwindSafe(f)).unwrap_err();

	panic.downcast_ref::<&str>().map_or_else(|| "?".into(), |s| s.to_string())
}

#[test]
fn a_child_is_refused_and_makes_a_pool_of_its_own() {
	let _alone = ALONE.lock();
	let pool = Pool::builder().workers(2).build().unwrap();
	let queue = Queue::<u32>::new().unwrap();

	assert_eq!(pool.call(|w| w.join(|_| 1, |_| 2)), Ok((1, 2)));
	pool.scope(|s| s.spawn(|| {}));
	in_child(|| {
		let refused = pool.spawn(|| ()) == Err(Closed)
			&& pool.call(|_| ()) == Err(Closed)
			&& queue.schedule(&pool, 1, |_| 1).is_err()
			&& !pool.quiesce();
		// A scope that is opened in the child runs its closures itself.
		let mut n = 0;
		pool.scope(|s| s.spawn(|| n += 1));
		let own = Pool::builder().workers(2).build().unwrap();
		let sum = own.call(|w| w.join(|_| 1, |_| 2)) == Ok((1, 2));
		drop(own);
		refused && sum && n == 1
	});
	assert_eq!(pool.call(|w| w.join(|_| 1, |_| 2)), Ok((1, 2)));
}

#[test]
fn a_pool_is_dropped_in_the_child_and_in_the_parent() {
	let _alone = ALONE.lock();
	let pool = Pool::builder().workers(1).build().unwrap();
	let n = std::sync::Arc::new(AtomicUsize::new(0));
	for _ in 0..100 {
		let n = n.clone();
		pool.spawn(move || {
			n.fetch_add(1, SeqCst);
		})
		.unwrap();
	}
	unsafe {
		let pid = fork();
		if pid == 0 {
			alarm(60);
			drop(pool);
			end_child(true);
		}
		await_child(pid);
	}
	drop(pool);
	assert_eq!(n.load(SeqCst), 100);
}

#[test]
fn a_scope_that_was_open_panics_in_the_child() {
	let _alone = ALONE.lock();
	let pool = Pool::builder().workers(1).build().unwrap();
	let (begun, go) = (AtomicBool::new(false), AtomicBool::new(false));
	let mut child = 0;
	let mut said = String::new();

	for is_left in [true, false] {
		let run = |child: &mut c_int| {
			pool.scope(|s| {
				if is_left {
					s.spawn(|| {
						begun.store(true, SeqCst);
						while !go.load(SeqCst) {
							thread::yield_now();
						}
					});
					while !begun.load(SeqCst) {
						thread::yield_now();
					}
				}
				*child = unsafe { fork() };
				if *child == 0 {
					unsafe { alarm(60) };
				} else {
					go.store(true, SeqCst);
				}
			})
		};
		if is_left {
			let thrown = catch_unwind(AssertUnwindSafe(|| run(&mut child)));
			if child == 0 {
				said = message(|| std::panic::resume_unwind(thrown.unwrap_err()));
				end_child(said.starts_with("nap: in the child of a fork"));
			}
			thrown.unwrap();
		} else {
			run(&mut child);
			if child == 0 {
				end_child(true);
			}
		}
		await_child(child);
	}
	drop(said);
}

#[test]
fn a_job_that_was_begun_elsewhere_is_not_begun_again() {
	let _alone = ALONE.lock();
	let pool = Pool::builder().workers(2).build().unwrap();
	let (begun, go) = (AtomicBool::new(false), AtomicBool::new(false));
	let (begun, go) = (&begun, &go);
	let captured = vec![1, 2, 3];
	let mut child = 0;
	// This thread forks, and not a worker, so that the child has this thread.
	let thrown = catch_unwind(AssertUnwindSafe(|| {
		pool.call(|w| {
			w.join(
				|_| {
					while !begun.load(SeqCst) {
						thread::yield_now();
					}
					child = unsafe { fork() };
					if child != 0 {
						go.store(true, SeqCst);
					}
				},
				move |_| {
					let sum = captured.into_iter().sum::<u32>();
					begun.store(true, SeqCst);
					while !go.load(SeqCst) {
						thread::yield_now();
					}
					sum
				},
			)
			.1
		})
	}));

	if child == 0 {
		end_child(message(|| std::panic::resume_unwind(thrown.unwrap_err())).contains("begun in the parent"));
	}
	assert_eq!(thrown.unwrap(), Ok(6));
	await_child(child);
}

#[test]
fn a_job_that_was_not_begun_runs_in_the_child() {
	let _alone = ALONE.lock();
	let pool = Pool::builder().workers(1).build().unwrap();
	let mut child = 0;
	let sum = pool
		.call(|w| {
			w.join(
				|_| {
					// Forks at once, so that probably no worker has begun the
					// closure. If one has, the child panics and says so.
					child = unsafe { fork() };
				},
				|_| 6,
			)
			.1
		})
		.unwrap();

	if child == 0 {
		end_child(sum == 6);
	}
	assert_eq!(sum, 6);
	let mut status = -1;
	assert_eq!(unsafe { waitpid(child, &mut status, 0) }, child);
}
