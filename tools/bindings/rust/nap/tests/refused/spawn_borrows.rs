// SPDX-License-Identifier: MIT
// error[E0597]
use std::sync::atomic::{AtomicU32, Ordering};

fn main() {
	let pool = nap::Pool::new().unwrap();
	let n = AtomicU32::new(0);
	let r = &n;
	pool.spawn(move || drop(r.fetch_add(1, Ordering::Relaxed))).unwrap();
}
