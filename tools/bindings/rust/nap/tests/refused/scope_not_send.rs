// SPDX-License-Identifier: MIT
// error[E0277]
use std::cell::Cell;

fn main() {
	let pool = nap::Pool::new().unwrap();
	let n = Cell::new(0);
	pool.scope(|s| s.spawn(|| n.set(1)));
}
