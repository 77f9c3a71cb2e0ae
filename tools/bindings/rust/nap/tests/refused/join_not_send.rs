// SPDX-License-Identifier: MIT
// error[E0277]
use std::rc::Rc;

fn main() {
	let pool = nap::Pool::new().unwrap();
	pool.call(|w| {
		let count = Rc::new(1);
		w.join(|_| (), move |_| drop(count));
	})
	.unwrap();
}
