// SPDX-License-Identifier: MIT
//! Scopes: borrows, nesting, panics.

use std::os::unix::process::ExitStatusExt;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

use nap::{Pool, Scope};

#[test]
fn closures_write_to_the_callers_stack() {
	let pool = Pool::builder().workers(3).build().unwrap();

	for n in [0usize, 1, 2, 100, 5000] {
		let mut v = vec![0; n];
		let count = pool.scope(|s| {
			for (i, x) in v.iter_mut().enumerate() {
				s.spawn(move || *x = i * 2);
			}
			n
		});
		assert_eq!(count, n);
		assert!(v.iter().enumerate().all(|(i, &x)| x == i * 2));
	}
}

#[test]
fn a_recursion_spawns_into_one_scope() {
	fn tree<'s, 'e>(s: &'s Scope<'s, 'e>, leaves: &'e AtomicUsize, depth: u32) {
		if depth == 0 {
			leaves.fetch_add(1, SeqCst);
			return;
		}
		s.spawn(move || tree(s, leaves, depth - 1));
		s.spawn(move || tree(s, leaves, depth - 1));
	}
	let pool = Pool::builder().workers(2).build().unwrap();
	let leaves = AtomicUsize::new(0);

	pool.scope(|s| tree(s, &leaves, 12));
	assert_eq!(leaves.load(SeqCst), 1 << 12);
}

#[test]
fn scopes_nest_on_workers() {
	fn sum(pool: &Pool, v: &[u64]) -> u64 {
		if v.len() < 4 {
			return v.iter().sum();
		}
		let (left, right) = v.split_at(v.len() / 2);
		let (mut a, mut b) = (0, 0);
		pool.scope(|s| {
			s.spawn(|| a = sum(pool, left));
			s.spawn(|| b = sum(pool, right));
		});
		a + b
	}
	for workers in [1, 3] {
		let pool = Pool::builder().workers(workers).build().unwrap();
		let v: Vec<u64> = (0..500).collect();

		assert_eq!(sum(&pool, &v), 499 * 500 / 2);
	}
}

#[test]
fn the_first_panic_arrives_when_all_have_ended() {
	let pool = Pool::builder().workers(3).build().unwrap();
	let ended = AtomicUsize::new(0);
	let thrown = catch_unwind(AssertUnwindSafe(|| {
		pool.scope(|s| {
			s.spawn(|| std::panic::panic_any(1u32));
			for _ in 0..10 {
				s.spawn(|| {
					thread::sleep(Duration::from_millis(2));
					ended.fetch_add(1, SeqCst);
				});
			}
		})
	}));

	assert_eq!(*thrown.unwrap_err().downcast::<u32>().unwrap(), 1);
	assert_eq!(ended.load(SeqCst), 10);
	// If the scope's own closure panics, its panic is the one that is thrown.
	let thrown = catch_unwind(AssertUnwindSafe(|| {
		pool.scope(|s| {
			for _ in 0..10 {
				s.spawn(|| std::panic::panic_any(2u32));
				s.spawn(|| {
					ended.fetch_add(1, SeqCst);
				});
			}
			std::panic::panic_any(3u32);
		})
	}));
	assert_eq!(*thrown.unwrap_err().downcast::<u32>().unwrap(), 3);
	assert_eq!(ended.load(SeqCst), 20);
}

#[test]
fn other_threads_spawn_into_a_scope() {
	let pool = Pool::builder().workers(2).build().unwrap();
	let n = AtomicUsize::new(0);
	let n = &n;

	pool.scope(|s| {
		thread::scope(|t| {
			for _ in 0..4 {
				t.spawn(move || {
					for _ in 0..500 {
						s.spawn(move || {
							n.fetch_add(1, SeqCst);
						});
					}
				});
			}
		});
	});
	assert_eq!(n.load(SeqCst), 2000);
}

/// Opens a scope in a closure of a scope, and so on, for ever: no wait can return, and in the end
/// no thread has stack left.
fn nest(pool: &Pool) {
	pool.scope(|s| s.spawn(|| nest(pool)));
}

#[test]
fn scopes_that_nest_for_ever_end_the_process_with_a_line() {
	if std::env::var_os("NAP_NEST").is_some() {
		nest(&Pool::builder().workers(2).build().unwrap());
		return;
	}
	let out = Command::new(std::env::current_exe().unwrap())
		.args(["--exact", "scopes_that_nest_for_ever_end_the_process_with_a_line", "--nocapture"])
		.env("NAP_NEST", "1")
		.output()
		.unwrap();
	let said = String::from_utf8_lossy(&out.stderr);

	assert_eq!(out.status.signal(), Some(6), "{}", said);
	assert!(said.contains("nap: every worker waits for a scope"), "{}", said);
}
