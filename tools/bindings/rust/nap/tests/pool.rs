// SPDX-License-Identifier: MIT
//! Pools, spawned closures, and the ends of a pool.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier, Mutex};
use std::thread;

use nap::{Closed, Pool};

/// Counts the values of this type that are alive.
struct Counted(Arc<AtomicUsize>);

impl Counted {
	fn new(n: &Arc<AtomicUsize>) -> Counted {
		n.fetch_add(1, SeqCst);
		Counted(n.clone())
	}
}

impl Drop for Counted {
	fn drop(&mut self) {
		self.0.fetch_sub(1, SeqCst);
	}
}

#[test]
fn a_dropped_pool_has_run_everything() {
	let (ran, alive) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
	let pool = Pool::builder().workers(3).name("test").build().unwrap();

	for _ in 0..1000 {
		let (ran, counted) = (ran.clone(), Counted::new(&alive));
		pool.spawn(move || {
			let _counted = counted;
			ran.fetch_add(1, SeqCst);
		})
		.unwrap();
	}
	drop(pool);
	assert_eq!((ran.load(SeqCst), alive.load(SeqCst)), (1000, 0));
}

#[test]
fn closures_spawn_others_which_run_before_the_end() {
	fn tree(pool: Arc<Pool>, ran: Arc<AtomicUsize>, depth: u32) {
		ran.fetch_add(1, SeqCst);
		for _ in 0..2 {
			if depth > 0 {
				let (p, ran) = (pool.clone(), ran.clone());
				pool.spawn(move || tree(p, ran, depth - 1)).unwrap();
			}
		}
	}
	let (pool, ran) = (Arc::new(Pool::builder().workers(2).build().unwrap()), Arc::new(AtomicUsize::new(0)));

	tree(pool.clone(), ran.clone(), 10);
	assert!(pool.quiesce());
	assert_eq!(ran.load(SeqCst), (1 << 11) - 1);
}

#[test]
fn a_pool_may_end_in_its_own_task() {
	let (told, ended) = channel();

	for i in 0..50 {
		let pool = Arc::new(Pool::builder().workers(1 + i % 3).build().unwrap());
		let (barrier, told) = (Arc::new(Barrier::new(2)), told.clone());
		let (last, waits) = (pool.clone(), barrier.clone());

		pool.spawn(move || {
			waits.wait();
			// A closure that the pool has accepted runs after its handle has gone.
			last.spawn(move || told.send(i).unwrap()).unwrap();
			drop(last);
		})
		.unwrap();
		drop(pool);
		barrier.wait();
		assert_eq!(ended.recv().unwrap(), i);
	}
}

#[test]
fn a_closed_pool_refuses_and_drops() {
	let alive = Arc::new(AtomicUsize::new(0));
	let pool = Pool::builder().workers(1).build().unwrap();

	pool.close();
	let counted = Counted::new(&alive);
	assert_eq!(pool.spawn(move || drop(counted)), Err(Closed));
	let counted = Counted::new(&alive);
	assert_eq!(pool.call(move |_| drop(counted)), Err(Closed));
	assert_eq!(alive.load(SeqCst), 0);
	// The pool refuses the scope's closures, so the scope has to run them itself.
	let mut n = 0;
	pool.scope(|s| s.spawn(|| n += 1));
	assert_eq!(n, 1);
}

#[test]
fn a_stopped_pool_drops_what_has_not_begun() {
	for _ in 0..50 {
		let (ran, alive) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
		let pool = Pool::builder().workers(1).build().unwrap();

		for _ in 0..100 {
			let (ran, counted) = (ran.clone(), Counted::new(&alive));
			pool.spawn(move || {
				ran.fetch_add(1, SeqCst);
				drop(counted);
			})
			.unwrap();
		}
		let left = pool.stop();
		assert_eq!((ran.load(SeqCst) + left, alive.load(SeqCst)), (100, 0));
	}
}

#[test]
fn the_panic_of_a_closure_is_told() {
	let told = Arc::new(Mutex::new(Vec::new()));
	let tells = told.clone();
	let pool = Pool::builder()
		.workers(2)
		.on_panic(move |panic| tells.lock().unwrap().push(*panic.downcast::<u32>().unwrap()))
		.build()
		.unwrap();

	for i in 0..10u32 {
		pool.spawn(move || std::panic::panic_any(i)).unwrap();
	}
	drop(pool);
	told.lock().unwrap().sort_unstable();
	assert_eq!(*told.lock().unwrap(), (0..10).collect::<Vec<u32>>());
}

#[test]
fn workers_have_the_pools_name() {
	let pool = Pool::builder().workers(1).name("rusty").build().unwrap();
	let (tell, told) = channel();

	pool.spawn(move || tell.send(std::fs::read_to_string("/proc/thread-self/comm").unwrap()).unwrap()).unwrap();
	assert_eq!(told.recv().unwrap().trim(), "rusty/0");
}

#[test]
fn many_threads_spawn_at_once_while_the_pool_closes() {
	let pool = Arc::new(Pool::builder().workers(2).build().unwrap());
	let (ran, alive, accepted) =
		(Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
	let threads: Vec<_> = (0..4)
		.map(|_| {
			let (pool, ran, alive, accepted) = (pool.clone(), ran.clone(), alive.clone(), accepted.clone());

			thread::spawn(move || loop {
				let (ran, counted) = (ran.clone(), Counted::new(&alive));

				match pool.spawn(move || {
					ran.fetch_add(1, SeqCst);
					drop(counted);
				}) {
					Ok(()) => accepted.fetch_add(1, SeqCst),
					Err(Closed) => break,
				};
			})
		})
		.collect();

	while accepted.load(SeqCst) < 100 {
		thread::yield_now();
	}
	pool.close();
	for thread in threads {
		thread.join().unwrap();
	}
	drop(pool);
	assert_eq!((ran.load(SeqCst), alive.load(SeqCst)), (accepted.load(SeqCst), 0));
}

/// How many threads of the process have names that begin so.
fn named(begin: &str) -> usize {
	std::fs::read_dir("/proc/self/task")
		.unwrap()
		.filter_map(|e| std::fs::read_to_string(e.unwrap().path().join("comm")).ok())
		.filter(|name| name.starts_with(begin))
		.count()
}

#[test]
fn workers_start_when_they_are_asked_for() {
	let pool = Pool::builder().workers(2).name("warm").build().unwrap();

	assert_eq!(named("warm/"), 0);
	pool.prewarm(2).unwrap();
	while named("warm/") < 2 {
		thread::yield_now();
	}
}
