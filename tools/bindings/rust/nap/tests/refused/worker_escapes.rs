// SPDX-License-Identifier: MIT
// error[E0521]
fn main() {
	let pool = nap::Pool::new().unwrap();
	pool.call(|w| {
		let mut kept = None;
		w.join(|w| kept = Some(w), |_| ());
		kept.unwrap().index();
	})
	.unwrap();
}
