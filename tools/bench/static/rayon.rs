// SPDX-License-Identifier: MIT
fn main() {
    rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap().install(|| ());
}
