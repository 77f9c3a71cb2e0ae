// SPDX-License-Identifier: MIT
// error[E0277]
use std::rc::Rc;

fn main() {
	let pool = nap::Pool::new().unwrap();
	let count = Rc::new(1);
	pool.spawn(move || drop(count)).unwrap();
}
