// SPDX-License-Identifier: MIT
//! Works and their queue.

use std::collections::HashMap;
use std::os::unix::io::AsRawFd;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use nap::{Closed, Completion, Ended, Pool, Queue};

/// Waits for the next end.
fn next<T: Send + 'static>(queue: &mut Queue<T>) -> Completion<T> {
	loop {
		if let Some(completion) = queue.next() {
			return completion;
		}
		assert!(queue.wait(Some(Duration::from_secs(60))).unwrap(), "no work has ended");
	}
}

#[test]
fn results_come_out_with_their_numbers() {
	let pool = Pool::builder().workers(3).build().unwrap();
	let mut queue = Queue::new().unwrap();

	for i in 0..1000u64 {
		queue.schedule(&pool, i, move |_| format!("{}", i * i)).unwrap();
	}
	let mut seen = HashMap::new();
	while seen.len() < 1000 {
		let Completion { id, result } = next(&mut queue);
		assert!(seen.insert(id, result.unwrap()).is_none());
	}
	assert!(seen.iter().all(|(id, result)| *result == format!("{}", id * id)));
	assert!(queue.next().is_none() && !queue.wait(Some(Duration::from_millis(1))).unwrap());
	assert!(queue.as_raw_fd() >= 0);
}

/// Keeps the pool's only worker busy until the returned sender is dropped or used.
fn busy(pool: &Pool) -> std::sync::mpsc::Sender<()> {
	let (end, ends) = channel();
	let (tell, begun) = channel();

	pool.spawn(move || {
		tell.send(()).unwrap();
		let _ = ends.recv();
	})
	.unwrap();
	begun.recv().unwrap();
	end
}

#[test]
fn a_work_is_canceled_before_it_begins() {
	let pool = Pool::builder().workers(1).build().unwrap();
	let mut queue = Queue::new().unwrap();
	let held = Arc::new(());
	let captured = held.clone();
	let end = busy(&pool);
	let work = queue.schedule(&pool, 1, move |_| drop(captured)).unwrap();

	assert!(work.cancel() && !work.cancel());
	end.send(()).unwrap();
	assert!(matches!(next(&mut queue), Completion { id: 1, result: Err(Ended::Canceled) }));
	// The closure's captures are dropped, although the handle still exists.
	assert_eq!(Arc::strong_count(&held), 1);
	assert!(!work.cancel());
}

#[test]
fn a_work_that_runs_learns_of_it() {
	let pool = Pool::builder().workers(1).build().unwrap();
	let mut queue = Queue::new().unwrap();
	let (tell, begun) = channel();
	let work = queue
		.schedule(&pool, 7, move |running| {
			tell.send(running.is_canceled()).unwrap();
			while !running.is_canceled() {
				thread::yield_now();
			}
			"was told"
		})
		.unwrap();

	assert!(!begun.recv().unwrap());
	assert!(!work.cancel());
	assert_eq!(next(&mut queue).result.unwrap(), "was told");
}

#[test]
fn a_late_work_and_one_that_panics_say_so() {
	let pool = Pool::builder().workers(1).build().unwrap();
	let mut queue = Queue::new().unwrap();
	let end = busy(&pool);

	queue.schedule_within(&pool, 1, Duration::from_millis(1), |_| 1).unwrap();
	queue.schedule_within(&pool, 2, Duration::MAX, |_| 2).unwrap();
	queue.schedule(&pool, 3, |_| std::panic::panic_any("three")).unwrap();
	thread::sleep(Duration::from_millis(20));
	drop(end);
	assert!(matches!(next(&mut queue), Completion { id: 1, result: Err(Ended::TimedOut) }));
	assert!(matches!(next(&mut queue), Completion { id: 2, result: Ok(2) }));
	match next(&mut queue) {
		Completion { id: 3, result: Err(Ended::Panicked(panic)) } => {
			assert_eq!(*panic.downcast::<&str>().unwrap(), "three")
		}
		other => panic!("{:?}", other),
	}
}

#[test]
fn a_stopped_pool_ends_its_works_in_their_queue() {
	for _ in 0..50 {
		let pool = Pool::builder().workers(1).build().unwrap();
		let mut queue = Queue::new().unwrap();
		for i in 0..100 {
			queue.schedule(&pool, i, move |_| i).unwrap();
		}
		let left = pool.stop();
		let mut canceled = 0;
		for _ in 0..100 {
			match next(&mut queue).result {
				Err(Ended::Canceled) => canceled += 1,
				result => drop(result.unwrap()),
			}
		}
		assert_eq!(canceled, left);
	}
}

struct Result(Arc<AtomicUsize>);

impl Drop for Result {
	fn drop(&mut self) {
		self.0.fetch_add(1, SeqCst);
	}
}

#[test]
fn a_queue_may_go_before_its_works() {
	for i in 0..100 {
		let pool = Pool::builder().workers(2).build().unwrap();
		let mut queue = Queue::new().unwrap();
		let dropped = Arc::new(AtomicUsize::new(0));
		let mut works = Vec::new();

		for i in 0..100 {
			let result = Result(dropped.clone());
			works.push(queue.schedule(&pool, i, move |_| result).unwrap());
		}
		for _ in 0..i % 7 {
			drop(next(&mut queue));
		}
		if i % 2 == 0 {
			for work in &works {
				work.cancel();
			}
		}
		drop(queue);
		drop(pool);
		assert_eq!(dropped.load(SeqCst), 100);
		assert!(works.iter().all(|work| !work.cancel()));
	}
}

#[test]
fn a_closed_pool_refuses_works() {
	let pool = Pool::builder().workers(1).build().unwrap();
	let queue = Queue::new().unwrap();
	let held = Arc::new(());
	let captured = held.clone();

	pool.close();
	assert!(matches!(queue.schedule(&pool, 1, move |_| drop(captured)), Err(Closed)));
	assert_eq!(Arc::strong_count(&held), 1);
}

#[test]
fn queue_and_works_move_between_threads() {
	let pool = Arc::new(Pool::builder().workers(2).build().unwrap());
	let queue = Queue::new().unwrap();

	thread::scope(|s| {
		let (pool, queue) = (&pool, &queue);
		for t in 0..4u64 {
			s.spawn(move || {
				for i in 0..200 {
					let work = queue.schedule(pool, t * 200 + i, move |_| i).unwrap();
					if i % 3 == 0 {
						work.cancel();
					}
				}
			});
		}
	});
	let ends = thread::spawn(move || {
		let mut queue = queue;
		(0..800).map(|_| next(&mut queue).id).sum::<u64>()
	});
	assert_eq!(ends.join().unwrap(), 799 * 800 / 2);
}
