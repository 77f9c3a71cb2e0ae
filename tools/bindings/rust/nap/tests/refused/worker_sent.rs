// SPDX-License-Identifier: MIT
// error[E0277]
fn main() {
	let pool = nap::Pool::new().unwrap();
	pool.call(|w| w.join(|_| (), |_| w.index())).unwrap();
}
