// SPDX-License-Identifier: MIT
// error[E0277]
use std::rc::Rc;

fn main() {
	let pool = nap::Pool::new().unwrap();
	let queue = nap::Queue::new().unwrap();
	queue.schedule(&pool, 1, |_| Rc::new(1)).unwrap();
}
