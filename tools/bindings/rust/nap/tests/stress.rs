// SPDX-License-Identifier: MIT
//! Everything at once, at random. Threads, and closures in the pool, spawn, join, open scopes and
//! schedule; some of these closures panic, are canceled, or come too late. Each value is made and
//! dropped once. NAP_STRESS is the number of rounds.

use std::panic::{catch_unwind, panic_any, AssertUnwindSafe};
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use nap::{Ended, Pool, Queue, Worker};

/// xorshift64*
struct Random(u64);

impl Random {
	fn below(&mut self, n: u64) -> u64 {
		self.0 ^= self.0 >> 12;
		self.0 ^= self.0 << 25;
		self.0 ^= self.0 >> 27;
		(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) % n
	}

	fn other(&mut self) -> Random {
		Random(self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1) | 1)
	}
}

/// Counts the values that are alive.
struct Value<'a>(&'a AtomicI64, Box<u64>);

impl<'a> Value<'a> {
	fn new(alive: &'a AtomicI64, n: u64) -> Value<'a> {
		alive.fetch_add(1, SeqCst);
		Value(alive, Box::new(n))
	}
}

impl Drop for Value<'_> {
	fn drop(&mut self) {
		self.0.fetch_sub(1, SeqCst);
	}
}

/// Returns the number of leaves, or panics with a number: one in @odds leaves panics.
fn tree<'a>(w: &Worker<'_>, alive: &'a AtomicI64, mut random: Random, depth: u64, odds: u64) -> Value<'a> {
	let carried = Value::new(alive, depth);
	if depth == 0 {
		if random.below(odds) == 0 {
			panic_any(depth);
		}
		return Value::new(alive, 1);
	}
	let (left, right) = (random.other(), Random(random.below(u64::MAX) | 1));
	let (a, b) = w.join(
		|w| tree(w, alive, left, depth - 1, odds),
		move |w| {
			let _carried = carried;
			tree(w, alive, right, depth - 1, odds)
		},
	);
	Value::new(alive, *a.1 + *b.1)
}

fn one(pool: &Arc<Pool>, alive: &'static AtomicI64, random: &mut Random) {
	match random.below(5) {
		0 => {
			let value = Value::new(alive, 0);
			let (again, panics) = (pool.clone(), random.below(4) == 0);
			pool.spawn(move || {
				let inner = Value::new(alive, 0);
				// If the pool is closed by then, it drops this closure.
				let _ = again.spawn(move || drop(inner));
				if panics {
					panic_any(1u64);
				}
				drop(value);
			})
			.unwrap();
		}
		1 => {
			let (depth, odds) = (random.below(9), if random.below(3) == 0 { 40 } else { 1 << 40 });
			let root = random.other();
			match catch_unwind(AssertUnwindSafe(|| pool.call(|w| tree(w, alive, root, depth, odds)))) {
				Ok(sum) => assert_eq!(*sum.unwrap().1, 1 << depth),
				Err(_) => assert_eq!(odds, 40),
			}
		}
		2 => {
			let n = random.below(20) as usize;
			let panics = random.below(30) as usize;
			let mut values: Vec<u64> = vec![0; n];
			let thrown = catch_unwind(AssertUnwindSafe(|| {
				pool.scope(|s| {
					for (i, value) in values.iter_mut().enumerate() {
						s.spawn(move || {
							*value = *Value::new(alive, i as u64 + 1).1;
							if i == panics {
								panic_any(7u64);
							}
						});
					}
				})
			}));
			assert_eq!(thrown.is_err(), panics < n);
			assert_eq!(values.iter().sum::<u64>(), (n * (n + 1) / 2) as u64);
		}
		3 => {
			let mut queue = Queue::new().unwrap();
			let n = random.below(10);
			for i in 0..n {
				let value = Value::new(alive, i);
				let panics = random.below(10) == 0;
				let f = move |running: &nap::Running<'_>| {
					if panics {
						panic_any(i);
					}
					let _ = running.is_canceled();
					value
				};
				let work = if random.below(4) == 0 {
					queue.schedule_within(pool, i, Duration::from_micros(random.below(50)), f)
				} else {
					queue.schedule(pool, i, f)
				}
				.unwrap();
				if random.below(4) == 0 {
					work.cancel();
				}
			}
			// Sometimes the queue is dropped before its works have ended.
			let wanted = if random.below(4) == 0 { random.below(n + 1) } else { n };
			let mut seen = 0;
			while seen < wanted {
				match queue.next() {
					Some(end) => {
						seen += 1;
						match end.result {
							Ok(value) => assert_eq!(*value.1, end.id),
							Err(Ended::Panicked(panic)) => assert_eq!(*panic.downcast::<u64>().unwrap(), end.id),
							Err(Ended::Canceled | Ended::TimedOut) => {}
						}
					}
					None => assert!(queue.wait(Some(Duration::from_secs(60))).unwrap()),
				}
			}
		}
		_ => {
			pool.quiesce();
		}
	}
}

#[test]
fn everything_at_once() {
	static ALIVE: AtomicI64 = AtomicI64::new(0);
	let rounds: u64 = std::env::var("NAP_STRESS").map_or(10, |n| n.parse().unwrap());

	std::panic::set_hook(Box::new(|info| {
		// A panic whose payload is a number is thrown on purpose.
		if info.payload().downcast_ref::<u64>().is_none() {
			eprintln!("{}", info);
		}
	}));
	for round in 0..rounds {
		let pool = Pool::builder().workers(1 + (round % 4) as u32).on_panic(drop).build().unwrap();
		let pool = Arc::new(pool);
		thread::scope(|s| {
			for t in 0..3 {
				let (pool, mut random) = (&pool, Random(round * 3 + t + 1));
				s.spawn(move || {
					for _ in 0..60 {
						one(pool, &ALIVE, &mut random);
					}
				});
			}
		});
		// A closure that has begun may hold its reference to the pool for a little longer.
		let mut pool = pool;
		let pool = loop {
			match Arc::try_unwrap(pool) {
				Ok(pool) => break pool,
				Err(shared) => pool = shared,
			}
			thread::yield_now();
		};
		if round % 2 == 0 {
			pool.stop();
		} else {
			drop(pool);
		}
		assert_eq!(ALIVE.load(SeqCst), 0, "round {}", round);
	}
}
