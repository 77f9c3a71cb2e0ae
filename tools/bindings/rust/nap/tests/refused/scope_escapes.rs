// SPDX-License-Identifier: MIT
// error[E0521]
fn main() {
	let pool = nap::Pool::new().unwrap();
	let mut kept = None;
	pool.scope(|s| kept = Some(s));
	kept.unwrap().spawn(|| ());
}
