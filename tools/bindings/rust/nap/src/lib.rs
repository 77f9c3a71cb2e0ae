// SPDX-License-Identifier: MIT
//! nap for Rust: a pool of threads for tasks, forked jobs and the works of an event loop.
//!
//! ```
//! let pool = nap::Pool::new().unwrap();
//! let (a, b) = pool.call(|w| w.join(|_| 6 * 7, |_| "seven")).unwrap();
//! assert_eq!((a, b), (42, "seven"));
//!
//! let mut sums = [0u64; 4];
//! pool.scope(|s| {
//! 	for (i, sum) in sums.iter_mut().enumerate() {
//! 		s.spawn(move || *sum = (0..=i as u64).sum());
//! 	}
//! });
//! assert_eq!(sums, [0, 1, 3, 6]);
//! ```
//!
//! | Rust | C |
//! |---|---|
//! | [`Pool`], dropped | `nap_pool_new()`, `nap_pool_join()` and `nap_pool_free()` |
//! | [`Pool::spawn`] | `nap_schedule()` of a task in a box |
//! | [`Pool::scope`] | tasks that borrow, and `nap_group_wait()` |
//! | [`Pool::call`], [`Worker::join`] | `nap_call()`, `nap_fork()` and `nap_join()` |
//! | [`Queue`], [`Work`] | `nap_cq`, with its eventfd, and `nap_work` |
//!
//! **Panics** go where the result goes: to the caller of `join`, `scope` and `call`, and into the
//! [`Completion`] of a work. A panic in a spawned closure has no such caller: [`Builder::on_panic`].
//!
//! **fork(2)** is unsafe in Rust, and so is what follows it. In the child a pool of the parent refuses
//! everything: `spawn`, `call` and `schedule` return [`Closed`], and a scope or a join that was open at
//! the fork panics if something of it ran elsewhere then. Dropping the pool in the child gives its
//! memory back, and loses the closures that the parent had queued.
#![deny(unsafe_op_in_unsafe_fn, missing_docs)]
#![warn(unreachable_pub)]

mod join;
mod pool;
mod queue;
mod scope;
mod spawn;

pub use join::Worker;
pub use pool::{Builder, Closed, Pool};
pub use queue::{Completion, Ended, Queue, Running, Work};
pub use scope::Scope;
