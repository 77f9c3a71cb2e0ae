// SPDX-License-Identifier: MIT
//
// Where to find libnap: in NAP_LIB_DIR, or where pkg-config says. Without cargo, rustc's -L names
// the directory.
use std::env;
use std::process::Command;

fn main() {
	println!("cargo:rerun-if-env-changed=NAP_LIB_DIR");
	println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
	if let Ok(dir) = env::var("NAP_LIB_DIR") {
		println!("cargo:rustc-link-search=native={}", dir);
		return;
	}
	if let Ok(out) = Command::new("pkg-config").args(["--libs-only-L", "nap"]).output() {
		for word in String::from_utf8_lossy(&out.stdout).split_whitespace() {
			if let Some(dir) = word.strip_prefix("-L") {
				println!("cargo:rustc-link-search=native={}", dir);
			}
		}
	}
}
