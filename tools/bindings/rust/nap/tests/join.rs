// SPDX-License-Identifier: MIT
//! Calls and joins: results, borrows, panics, depth.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use nap::{Pool, Worker};

fn fib(w: &Worker<'_>, n: u64) -> u64 {
	if n < 2 {
		return n;
	}
	let (a, b) = w.join(|w| fib(w, n - 2), |w| fib(w, n - 1));
	a + b
}

fn sort<T: Ord + Send>(w: &Worker<'_>, v: &mut [T]) {
	if v.len() < 2 {
		return;
	}
	let last = v.len() - 1;
	v.swap(last / 2, last);
	let mut middle = 0;
	for i in 0..last {
		if v[i] <= v[last] {
			v.swap(i, middle);
			middle += 1;
		}
	}
	v.swap(middle, last);
	let (left, right) = v.split_at_mut(middle);
	w.join(|w| sort(w, left), |w| sort(w, &mut right[1..]));
}

#[test]
fn joins_return_what_calls_return() {
	let pool = Pool::builder().workers(3).build().unwrap();

	assert_eq!(pool.call(|w| fib(w, 20)), Ok(6765));
	assert_eq!(pool.call(|w| w.join(|_| "a".to_string(), |_| vec![1u8; 300])), Ok(("a".to_string(), vec![1; 300])));
	assert_eq!(pool.call(|w| w.join(|_| (), |_| [7u64; 100])).unwrap().1[99], 7);
}

#[test]
fn jobs_borrow_from_the_stack() {
	let pool = Pool::builder().workers(3).build().unwrap();
	let mut v: Vec<u64> = (0..50_000).map(|i| i * 7919 % 50_021).collect();
	let mut sorted = v.clone();

	sorted.sort_unstable();
	pool.call(|w| sort(w, &mut v)).unwrap();
	assert_eq!(v, sorted);
}

/// Runs both closures at the same time, so another worker runs the second.
fn both_at_once<A: Send, B: Send>(
	w: &Worker<'_>,
	a: impl FnOnce() -> A,
	b: impl FnOnce() -> B + Send,
) -> (A, B) {
	let barrier = Barrier::new(2);

	w.join(
		|_| {
			barrier.wait();
			a()
		},
		|_| {
			barrier.wait();
			b()
		},
	)
}

#[derive(Debug)]
struct Dropped<'a>(&'a AtomicUsize);

impl Drop for Dropped<'_> {
	fn drop(&mut self) {
		self.0.fetch_add(1, SeqCst);
	}
}

/// The number that a closure has panicked with.
fn thrown<R: std::fmt::Debug>(f: impl FnOnce() -> R) -> u32 {
	*catch_unwind(AssertUnwindSafe(f)).unwrap_err().downcast::<u32>().unwrap()
}

fn throw(n: u32) {
	std::panic::panic_any(n)
}

#[test]
fn panics_arrive_at_the_join_when_both_have_ended() {
	let pool = Pool::builder().workers(3).build().unwrap();
	let ended = AtomicUsize::new(0);
	let slow = || {
		thread::sleep(Duration::from_millis(5));
		ended.fetch_add(1, SeqCst);
	};

	for _ in 0..10 {
		ended.store(0, SeqCst);
		assert_eq!(pool.call(|w| thrown(|| both_at_once(w, || throw(1), slow))), Ok(1));
		assert_eq!(ended.load(SeqCst), 1);
		assert_eq!(pool.call(|w| thrown(|| both_at_once(w, slow, || throw(2)))), Ok(2));
		assert_eq!(ended.load(SeqCst), 2);
		assert_eq!(pool.call(|w| thrown(|| both_at_once(w, || throw(3), || throw(4)))), Ok(3));
	}
	assert_eq!(thrown(|| pool.call(|w| both_at_once(w, || throw(5), slow))), 5);
	assert_eq!(pool.call(|w| fib(w, 15)), Ok(610));
}

#[test]
fn what_is_not_run_or_not_wanted_is_dropped_once() {
	let pool = Pool::builder().workers(3).build().unwrap();
	let n = AtomicUsize::new(0);

	for _ in 0..50 {
		n.store(0, SeqCst);
		// `b` is dropped with the job if the job was not run, otherwise with its result.
		let b = Dropped(&n);
		assert_eq!(pool.call(|w| thrown(|| w.join(|_| throw(1), move |_| b))), Ok(1));
		assert_eq!(n.load(SeqCst), 1);
		let (a, b) = (Dropped(&n), Dropped(&n));
		assert_eq!(
			pool.call(|w| thrown(|| both_at_once(w, move || a, move || {
				let _b = b;
				throw(2)
			}))),
			Ok(2)
		);
		assert_eq!(n.load(SeqCst), 3);
	}
}

#[test]
fn deep_and_lopsided_trees_join() {
	fn left(w: &Worker<'_>, n: usize) -> usize {
		if n == 0 {
			return 0;
		}
		let (a, b) = w.join(|w| left(w, n - 1), |_| 1);
		a + b
	}
	let pool = Pool::builder().workers(3).stack_size(16 << 20).build().unwrap();

	// A worker has 1,023 frames for jobs. These are more jobs.
	let big = thread::Builder::new().stack_size(64 << 20);
	big.spawn(move || assert_eq!(pool.call(|w| left(w, 5000)), Ok(5000))).unwrap().join().unwrap();
}

#[test]
fn calls_nest_on_a_worker_and_over_pools() {
	let (one, two) = (Pool::builder().workers(2).build().unwrap(), Pool::builder().workers(2).build().unwrap());
	let sum = one.call(|w| {
		let (a, b) = w.join(
			|_| two.call(|w| fib(w, 12)).unwrap(),
			|_| one.call(|w| w.join(|w| fib(w, 10), |_| two.call(|w| fib(w, 11)).unwrap())).unwrap(),
		);
		a + b.0 + b.1
	});

	assert_eq!(sum, Ok(144 + 55 + 89));
}

#[test]
fn more_threads_than_guests_call() {
	let pool = Pool::builder().workers(2).build().unwrap();

	thread::scope(|s| {
		for _ in 0..40 {
			s.spawn(|| assert_eq!(pool.call(|w| fib(w, 14)), Ok(377)));
		}
	});
}
