// SPDX-License-Identifier: MIT
// error[E0277]
use std::rc::Rc;

fn main() {
	let pool = nap::Pool::new().unwrap();
	pool.call(|w| drop(w.join(|_| (), |_| Rc::new(1)))).unwrap();
}
